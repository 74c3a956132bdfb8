#include <algorithm>
#include <cmath>

#include "sinew/strands/strand_section.hpp"

// Tensions on both sides of guides with friction: docs/theory/strands.md, §4. The material at guide
// k is a coordinate s_k. A zone of length ℓ and rest length R = s_{k+1} − s_k has the energy R
// W(ε), so it requires T ∂ℓ/∂x of nodes and W − T (1 + ε) of R. The material at the start of a
// closed section is a coordinate, too: it runs, and the start is where one more zone ends.

namespace sinew {
namespace {

double with_slopes(double value, double, double, double, double) { return value; }
/// f(x, y) from its value and its slopes.
Chunk with_slopes(double value, double by_x, const Chunk& x, double by_y, const Chunk& y) {
  Chunk out(value);
  for (size_t k = 0; k < kChunk; ++k) out.d[k] = by_x * x.d[k] + by_y * y.d[k];
  return out;
}

template <class T>
ZoneStretch<T> stretch_of(const StretchLaw& law, const T& strain, const T& rate) {
  const Stretch now = evaluate(law, value_of(strain), value_of(rate)),
                still = evaluate(law, value_of(strain), 0);
  return {strain, with_slopes(now.tension, now.by_strain, strain, now.by_rate, rate),
          with_slopes(still.tension, still.by_strain, strain, 0, rate),
          with_slopes(now.energy, now.elastic, strain, 0, rate)};
}

/// ∫(1 + ε)dT / ∫dT between the strains of two zones: the length per rest length at which material
/// slides, weighted by the friction that it meets.
template <class T>
T sliding_stretch(const ZoneStretch<T>& a, const ZoneStretch<T>& b) {
  const T difference = b.elastic - a.elastic;
  // Close to each other, the mean differs from that by less than rounding does.
  if (std::abs(value_of(difference)) <= 1e-5 * std::abs(value_of(a.elastic) + value_of(b.elastic)))
    return 1.0 + 0.5 * (a.strain + b.strain);
  const T Q_a = a.elastic * (1.0 + a.strain) - a.energy,
          Q_b = b.elastic * (1.0 + b.strain) - b.energy;
  return (Q_b - Q_a) / difference;
}

double direction(const PulleyWrap& pulley) { return static_cast<double>(pulley.side); }

/// a × ∂a + b × ∂b by the d-th coordinate of a span's ends, a and b the ends of its arc.
template <class T>
T along_rim(const SpanShape<Dual<T, kPathDirections>>& shape, size_t d) {
  T out(0);
  for (size_t n = 1; n <= 2; ++n)
    out += shape.node[n][0].v * shape.node[n][1].d[d] - shape.node[n][1].v * shape.node[n][0].d[d];
  return out;
}

}  // namespace

template <class T>
void StrandSection::place_breaks(SectionWorkspace::Kernel<T>& kernel) const {
  kernel.breaks.resize(slips_.size());
  const double scale = 1 / rest_length_;
  const double begin =
      begin_ - (is_closed() ? value_of(kernel.x[static_cast<size_t>(run_)][0]) : 0.0);
  for (size_t k = 0; k < slips_.size(); ++k) {
    const auto node = static_cast<size_t>(first_slip_) + k;
    kernel.breaks[k].span = static_cast<int>(slips_[k].piece);
    kernel.breaks[k].share = {(kernel.x[node][0] - begin) * scale, kernel.v[node][0] * scale,
                              kernel.a[node][0] * scale};
  }
}

/// The middle of an arc is at p along the rim, in the frame of the pulley: half the way of the
/// points a and b where the strand meets and leaves it. r dp = ½ (a × da + b × db).
template <class T>
T StrandSection::rim_speed(size_t guide, const SectionWorkspace::Kernel<T>& kernel) const {
  const size_t piece = slips_[guide].piece;
  const auto& pulley = std::get<PulleyWrap>(*surface(piece));
  T out(0);
  for (size_t d = 0; d < 6; ++d)
    out += along_rim(kernel.path.shape(static_cast<int>(piece)), d) *
           kernel.motion[piece].v[d / 3][static_cast<Eigen::Index>(d % 3)];
  return out * (0.5 * direction(pulley) / pulley.radius);
}

template <class T>
void StrandSection::push_rim(size_t guide, const T& force,
                             SectionWorkspace::Kernel<T>& kernel) const {
  const size_t piece = slips_[guide].piece;
  const auto& pulley = std::get<PulleyWrap>(*surface(piece));
  SpanForce<T>& out = kernel.forces[piece];
  const T scaled = force * (0.5 * direction(pulley) / pulley.radius);
  for (size_t e = 0; e < 2; ++e) {
    Point<T> push;
    for (size_t c = 0; c < 3; ++c)
      push[static_cast<Eigen::Index>(c)] =
          scaled * along_rim(kernel.path.shape(static_cast<int>(piece)), 3 * e + c);
    const Point<T>& x = kernel.motion[piece].x[e];
    out.end[e] += push;
    out.force -= push;
    out.torque -= Point<T>(x[1] * push[2] - x[2] * push[1], x[2] * push[0] - x[0] * push[2],
                           x[0] * push[1] - x[1] * push[0]);
  }
}

template <class T>
void StrandSection::stretch_zones(const SectionWorkspace& ws, SectionWorkspace::Kernel<T>& kernel,
                                  SlidingPull* now) const {
  const size_t zones = slips_.size() + 1;
  kernel.path.update(bare_path(), ws.solutions, kernel.motion, MuscleView::at_rest,
                     is_closed() ? &kernel.flow : nullptr,
                     std::span<const PathBreak<T>>(kernel.breaks));
  kernel.zones.resize(zones);
  kernel.tension.resize(zones);
  if (now != nullptr) {
    now->zones.resize(zones);
    now->slips.assign(slips_.size(), {});
    now->power = now->energy = 0;
  }
  Taylor2<T> share(0);
  if (is_closed()) share = {T(0.0 - kernel.flow.share), T(0.0 - kernel.flow.rate), T(0)};
  const Taylor2<T> end = share + Taylor2<T>(1);
  for (size_t z = 0; z < zones; ++z) {
    const Taylor2<T> next = z < slips_.size() ? kernel.breaks[z].share : end;
    const T R = (next.v - share.v) * rest_length_, R1 = (next.d1 - share.d1) * rest_length_;
    share = next;
    const Taylor2<T> length = kernel.path.zone_length(z);
    const T strain = length.v / R - 1.0, rate = (length.d1 - (1.0 + strain) * R1) / R;
    const Stretch law = evaluate(law_, value_of(strain), value_of(rate)),
                  still = evaluate(law_, value_of(strain), 0);
    kernel.zones[z] = {strain, with_slopes(law.tension, law.by_strain, strain, law.by_rate, rate),
                       with_slopes(still.tension, still.by_strain, strain, 0, rate),
                       with_slopes(law.energy, law.elastic, strain, 0, rate)};
    kernel.tension[z] = kernel.zones[z].tension;
    if (now == nullptr) continue;
    now->zones[z] = {value_of(length), value_of(R), law};
    now->energy += value_of(R) * law.energy;
    now->power -= value_of(R) * (law.tension - law.elastic) * value_of(rate);
  }
}

/// F = (T₁′ + T₂′) tanh(κ/2), κ = μ θ tanh(w/v_c): then T₂′ = T₁′ exp κ where F = T₂′ − T₁′.
template <class T>
T StrandSection::friction_at(size_t guide, const T& stretch,
                             const SectionWorkspace::Kernel<T>& kernel, GuideSlip* now) const {
  using std::tanh;
  const auto& [piece, friction] = slips_[guide];
  const auto& shape = kernel.path.shape(static_cast<int>(piece));
  if (now != nullptr) now->lifted = shape.pieces < 3;
  if (shape.pieces < 3) return T(0);
  const auto& pulley = std::get<PulleyWrap>(*surface(piece));
  const auto node = static_cast<size_t>(first_slip_) + guide;
  const T w = rim_speed(guide, kernel) - stretch * kernel.v[node][0];
  T pressing = kernel.tension[guide] + kernel.tension[guide + 1];
  if (!lumped_ && velocity_terms_) {
    // The strand's speed about the axis of the pulley bends without pressing.
    const T v = w + direction(pulley) * pulley.radius * kernel.motion[piece].omega[2];
    const double density = mass() / rest_length_;
    for (size_t z = guide; z <= guide + 1; ++z)
      pressing -= density * v * v / (1.0 + kernel.zones[z].strain);
  }
  // Of a helix only the part of its turning that presses on the cylinder counts.
  const T turn = shape.helix[0].turn.v * pulley.radius;
  const T angle = shape.wrapped_angle.v * turn * direction(pulley);
  const T full = friction.coefficient * angle;
  if (now != nullptr) now->speed = value_of(w);
  if (pressing <= 0.0) return T(0);
  if (friction.creep == 0) {  // its impulses are unknowns of the step
    if (now != nullptr) now->most = value_of(pressing) * std::tanh(0.5 * value_of(full));
    return T(0);
  }
  const T share = tanh(T(w / friction.creep)), ratio = tanh(T(0.5 * full * share));
  if (now != nullptr)
    now->slope = value_of(pressing) * (1 - value_of(ratio) * value_of(ratio)) * 0.5 *
                 value_of(full) * (1 - value_of(share) * value_of(share)) / friction.creep;
  return pressing * ratio;
}

template <class T>
void StrandSection::run_sliding(const SectionWorkspace& ws, SectionWorkspace::Kernel<T>& kernel,
                                SlidingPull* now) const {
  place_breaks(kernel);
  stretch_zones(ws, kernel, now);
  kernel.path.forces(std::span<const T>(kernel.tension), kernel.forces);
  std::vector<ZoneStretch<T>>& zones = kernel.zones;
  const auto on_rest = [&](size_t z) {
    return T(zones[z].energy - zones[z].tension * (1.0 + zones[z].strain));
  };
  for (size_t k = 0; k < slips_.size(); ++k) {
    GuideSlip* const slip = now == nullptr ? nullptr : &now->slips[k];
    const T stretch = sliding_stretch(zones[k], zones[k + 1]);
    const T force = friction_at(k, stretch, kernel, slip);
    if (kernel.path.shape(static_cast<int>(slips_[k].piece)).pieces >= 3)
      push_rim(k, force, kernel);
    const auto node = static_cast<size_t>(first_slip_) + k;
    kernel.f[node].setConstant(T(0));
    kernel.f[node][0] = on_rest(k) - on_rest(k + 1) - stretch * force;
    if (now == nullptr) continue;
    slip->force = value_of(force);
    slip->stretch = value_of(stretch);
    now->power -= slip->force * slip->speed;
  }
  if (is_closed()) {
    Point<T>& on_run = kernel.f[static_cast<size_t>(run_)];
    on_run.setConstant(T(0));
    on_run[0] = on_rest(0) - on_rest(slips_.size());
  }
  collect(kernel);
}

void StrandSection::update_sliding(const SectionMotion& at, SectionWorkspace& ws, SlidingPull& now,
                                   SectionTerms& out) const {
  place_nodes(at, ws, ws.plain);
  place_spans(Vec3::Zero(), ws.plain);
  solve_spans(at, ws);
  run_sliding(ws, ws.plain, &now);
  out.f.resize(3 * nodes_);
  write_forces(ws.plain, out.f);
}

void StrandSection::write_forces(const SectionWorkspace::Kernel<double>& kernel, VecRef out) const {
  for (size_t k = 0; k < static_cast<size_t>(nodes_); ++k)
    out.segment<3>(first_of(k)) = kernel.f[k];
}

void StrandSection::clear_slips(SectionWorkspace::Kernel<double>& kernel) const {
  if (is_closed()) kernel.f[static_cast<size_t>(run_)].setZero();
  for (size_t k = 0; k < slips_.size(); ++k)
    kernel.f[static_cast<size_t>(first_slip_) + k].setZero();
}

void StrandSection::update_slip_row(size_t guide, const SlidingPull& now, SectionWorkspace& ws,
                                    VecRef out) const {
  auto& kernel = ws.plain;
  std::fill(kernel.tension.begin(), kernel.tension.end(), 0);
  kernel.path.forces(std::span<const double>(kernel.tension), kernel.forces);
  clear_slips(kernel);
  if (!now.slips[guide].lifted) push_rim(guide, 1.0, kernel);
  kernel.f[static_cast<size_t>(first_slip_) + guide][0] = -now.slips[guide].stretch;
  collect(kernel);
  write_forces(kernel, out);
}

void StrandSection::update_sliding_derivatives(const SectionMotion& at, bool definite,
                                               const SlidingPull& now, SectionWorkspace& ws,
                                               SectionTerms& out) const {
  const Eigen::Index n = 3 * nodes_;
  out.K.setZero(n, n);
  out.D.setZero(n, n);
  if (definite) return add_definite(at, now, ws, out);
  differentiate(at, Vec3::Zero(), Terms::sliding, Seed::x, ws, out.K);
  differentiate(at, Vec3::Zero(), Terms::sliding, Seed::v, ws, out.D);
}

/// Of each zone R T_ε ∇ε ∇εᵀ and the bending of its straight pieces, of friction ∂F/∂w ∇w ∇wᵀ.
void StrandSection::add_definite(const SectionMotion& at, const SlidingPull& now,
                                 SectionWorkspace& ws, SectionTerms& out) const {
  auto& kernel = ws.plain;
  const Eigen::Index n = 3 * nodes_;
  if (ws.dL.size() < n) ws.dL.resize(n);
  auto gradient = ws.dL.head(n);
  const auto add = [&](double stiffness, double damping) {
    out.K.noalias() += (stiffness * gradient) * gradient.transpose();
    out.D.noalias() += (damping * gradient) * gradient.transpose();
  };
  for (size_t z = 0; z < now.zones.size(); ++z) {
    const ZonePull& zone = now.zones[z];
    std::fill(kernel.tension.begin(), kernel.tension.end(), 0);
    kernel.tension[z] = 1;
    kernel.path.forces(std::span<const double>(kernel.tension), kernel.forces);
    clear_slips(kernel);
    const double per_rest = zone.length / zone.rest_length;
    if (z < slips_.size()) kernel.f[static_cast<size_t>(first_slip_) + z][0] = -per_rest;
    if (z > 0) kernel.f[static_cast<size_t>(first_slip_) + z - 1][0] = per_rest;
    if (is_closed() && z == 0) kernel.f[static_cast<size_t>(run_)][0] -= per_rest;
    if (is_closed() && z == slips_.size()) kernel.f[static_cast<size_t>(run_)][0] += per_rest;
    collect(kernel);
    write_forces(kernel, gradient);
    add(zone.stretch.by_strain / zone.rest_length, zone.stretch.by_rate / zone.rest_length);
  }
  for (size_t k = 0; k < slips_.size(); ++k) {
    if (now.slips[k].slope == 0) continue;
    update_slip_row(k, now, ws, gradient);
    add(0, now.slips[k].slope);
  }
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    if (frames_[k] >= 0) continue;
    const double T = std::max(0.0, now.zones[zone_of(k)].stretch.tension);
    update_piece(at, k, true, piece);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b)
        out.K.block<3, 3>(first_of(piece_node(k, a)), first_of(piece_node(k, b))) +=
            T * piece.curvature(a, b);
  }
}

/// Each node lies at its share of the zone that it is in.
void StrandSection::sliding_material(const SectionMotion& at, std::vector<double>& s) const {
  const double begin = begin_ - (is_closed() ? at.x[static_cast<size_t>(run_)].x() : 0.0);
  std::vector<double> arc = {0}, material = {begin}, nodes;  // of zones' ends; of nodes
  double c = 0;
  PieceLength piece;
  for (size_t k = 0; k < frames_.size(); ++k) {
    update_piece(at, k, false, piece);
    if (zone_of(k) < slips_.size() && slips_[zone_of(k)].piece == k) {
      const SpanShape<double> path = path_of(at, k);
      arc.push_back(c + (path.pieces < 3 ? 0.5 * path.length
                                         : path.piece[0].length + 0.5 * path.piece[1].length));
      material.push_back(at.x[static_cast<size_t>(first_slip_) + zone_of(k)].x());
    }
    c += piece.length;
    nodes.push_back(c);
  }
  arc.push_back(c);
  material.push_back(begin + rest_length_);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const size_t z = zone_of(k + 1);
    s.push_back(material[z] +
                (nodes[k] - arc[z]) / (arc[z + 1] - arc[z]) * (material[z + 1] - material[z]));
  }
}

template void StrandSection::place_breaks(SectionWorkspace::Kernel<double>&) const;
template void StrandSection::place_breaks(SectionWorkspace::Kernel<Chunk>&) const;
template void StrandSection::run_sliding(const SectionWorkspace&, SectionWorkspace::Kernel<Chunk>&,
                                         SlidingPull*) const;

}  // namespace sinew
