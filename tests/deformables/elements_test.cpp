#include "sinew/deformables/elements.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace elements_test {

const std::vector<Vec3> kRest = {{0.1, 0, 0}, {1.1, 0.2, 0}, {0.3, 1, 0.1}, {0.2, 0.3, 0.9}};

Mat34 rest_positions() {
  Mat34 x;
  for (int i = 0; i < 4; ++i) x.col(i) = kRest[i];
  return x;
}

Mat34 random_columns(test::Random& random, double size) {
  Mat34 x;
  for (int k = 0; k < 12; ++k) x.data()[k] = random.uniform(-size, size);
  return x;
}

VecX flat(const Mat34& m) { return Eigen::Map<const VecX>(m.data(), 12); }
Mat34 unflat(const VecX& x) { return Eigen::Map<const Mat34>(x.data()); }

Material material(MaterialModel model) {
  Material m;
  m.model = model;
  m.young = 2;
  m.poisson = 0.3;
  m.viscosity = 0.7;
  return m;
}

/// Near rest, far from it, inverted (two corners exchanged), and collapsed to a plane.
std::vector<Mat34> shapes() {
  test::Random random(2);
  const Mat34 rest = rest_positions();
  std::vector<Mat34> out = {rest + random_columns(random, 0.01), rest + random_columns(random, 0.2),
                            rest + random_columns(random, 0.6)};
  Mat34 inverted = rest + random_columns(random, 0.05);
  inverted.col(0).swap(inverted.col(1));
  out.push_back(inverted);
  Mat34 flat_one = rest;
  flat_one.col(3) = 0.4 * rest.col(0) + 0.3 * rest.col(1) + 0.3 * rest.col(2);
  out.push_back(flat_one);
  return out;
}

TEST(Tetrahedron, HasForcesThatAreSlopesOfItsEnergyAndExactDerivatives) {
  test::Random random(4);
  const Tetrahedron tet = make_tetrahedron(kRest, {0, 1, 2, 3});
  ASSERT_GT(tet.volume, 0);
  for (const MaterialModel model :
       {MaterialModel::corotated, MaterialModel::st_venant_kirchhoff, MaterialModel::neo_hookean})
    for (const Mat34& x : shapes()) {
      const Material m = material(model);
      const Mat34 v = random_columns(random, 1);
      double power = 0;
      Mat34 f;
      tetrahedron_forces(m, tet, x, Mat34::Zero(), f, power);
      EXPECT_EQ(power, 0);
      const auto energy = [&](const VecX& y) {
        return VecX::Constant(1, -tetrahedron_energy(m, tet, unflat(y)));
      };
      const DifferenceSweep slope = check_derivative(energy, flat(x), flat(f).transpose());
      EXPECT_TRUE(slope.confirms(1e-7)) << to_string(model) << "\n" << slope.table();
      // No net force or moment: the element pulls at nothing but itself.
      Mat34 g;
      tetrahedron_forces(m, tet, x, v, g, power);
      EXPECT_LE(power, 0);
      Vec3 moment = Vec3::Zero();
      for (int i = 0; i < 4; ++i) moment += x.col(i).cross(g.col(i));
      EXPECT_LT(g.rowwise().sum().norm(), 1e-14);
      EXPECT_LT(moment.norm(), 1e-13);

      Mat12 K, D;
      tetrahedron_derivatives(m, tet, x, v, K, D);
      VecX both(24);
      both << flat(x), flat(v);
      MatX claimed(12, 24);
      claimed << K, D;
      const auto forces = [&](const VecX& y) {
        double ignored = 0;
        Mat34 out;
        tetrahedron_forces(m, tet, unflat(y.head(12)), unflat(y.tail(12)), out, ignored);
        return flat(out);
      };
      const DifferenceSweep sweep = check_derivative(forces, both, claimed);
      EXPECT_TRUE(sweep.confirms(1e-7)) << to_string(model) << "\n" << sweep.table();
    }
}

}  // namespace elements_test
}  // namespace sinew
