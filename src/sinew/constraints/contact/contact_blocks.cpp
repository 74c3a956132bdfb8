#include "sinew/constraints/contact/contact_blocks.hpp"

namespace sinew {

AttachedPoint at_world_point(const SkeletonAt& in, BodyIndex body, const Vec3& x_W) {
  const int link = link_of(in.skeleton, body);
  return attach_at(in.ws, link, x_W - in.ws.link[static_cast<size_t>(link)].p);
}

void ContactBlocks::add(const SkeletonAt& in, const AttachedPoint& a, const AttachedPoint& b,
                        const ContactLinearization& contact) {
  const Vec3 &f = contact.f, &n = contact.n;
  const Mat3& df_du = contact.df_du;
  const Vec3& w_a = in.ws.link[static_cast<size_t>(a.link)].w;
  const Vec3& w_b = in.ws.link[static_cast<size_t>(b.link)].w;
  const Mat36 G_a = a.jacobian(), G_b = b.jacobian();
  const Eigen::RowVector3d nt = n.transpose();
  const Mat36 f_turns = on_rotation(skew(f)), u_turns = on_rotation(skew(a.velocity));
  const Mat36 roll = on_rotation(contact.C * skew(n));

  // Motion of the point over a and over b, from ξ_a. Then δf seen from b.
  const Mat36 over_a_a = -roll - contact.share * n * (nt * G_a), over_b_a = G_a + over_a_a;
  const Mat36 df_a = contact.df_dgap * (nt * G_a) +
                     df_du * (-u_turns + skew(w_a) * over_a_a - skew(w_b) * over_b_a);
  K_aa_ += G_a.transpose() * (df_a + f_turns);
  K_aa_.topRows<3>() -= skew(f) * over_a_a;
  D_aa_ += G_a.transpose() * df_du * G_a;
  if (b.link == 0) return;  // the world does not move

  // From ξ_b.
  const Mat36 over_a_b = roll + contact.share * n * (nt * G_b), over_b_b = over_a_b - G_b;
  const Mat36 df_b = -contact.df_dgap * (nt * G_b) +
                     df_du * (u_turns + skew(w_a) * over_a_b - skew(w_b) * over_b_b);
  K_ab_ += G_a.transpose() * (df_b - f_turns);
  K_ab_.topRows<3>() -= skew(f) * over_a_b;
  K_ba_ -= G_b.transpose() * df_a;
  K_ba_.topRows<3>() += skew(f) * over_b_a;
  K_bb_ -= G_b.transpose() * df_b;
  K_bb_.topRows<3>() += skew(f) * over_b_b;
  D_ab_ -= G_a.transpose() * df_du * G_b;
  D_ba_ -= G_b.transpose() * df_du * G_a;
  D_bb_ += G_b.transpose() * df_du * G_b;
}

void ContactBlocks::hand_over(int a, int b, bool touches, ForceDerivatives& out) const {
  if (touches) {
    out.add(a, a, K_aa_, D_aa_);
    out.add(b, b, K_bb_, D_bb_);
  }
  out.add(a, b, K_ab_, D_ab_);
  out.add(b, a, K_ba_, D_ba_);
}

}  // namespace sinew
