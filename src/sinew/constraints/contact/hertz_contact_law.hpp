#pragma once

#include <string>

#include "sinew/math/types.hpp"

/// The laws of OpenSim for a sphere on a half-space: Hertz's force, damping after Hunt and Crossley
/// (1975), friction after Sherman, Seth and Delp (2011), and their smooth form after Serrancolí et
/// al. (2019). docs/theory/hertz_contact.md has the equations that are cited.

namespace sinew {

struct HertzContactLaw {
  /// k of Eq. (1) [(N/m²)^(2/3)]: E^(2/3)/2 for two surfaces of the same stiffness E; see combine.
  double modulus = 0;
  double dissipation = 0;                                                  ///< c [s/m]
  double static_friction = 0, dynamic_friction = 0, viscous_friction = 0;  ///< –, –, s/m
  double transition_velocity = 0.01;                                       ///< v_t [m/s]
  /// Height of the point of action above the lowest point of the sphere, over the depth.
  double share = 0.5;

  /// Smooth in depth and velocity, with a small force at a distance. Otherwise the force is zero
  /// where nothing overlaps.
  bool smooth = false;
  /// ε of Eqs. (4) and (5), which counts as m² and as m²/s²; b_d [1/m], b_v [s/m].
  double smoothing = 1e-5, depth_sharpness = 300, velocity_sharpness = 50;

  /// Throws an Error naming the force `name`.
  void validate(const std::string& name) const;
};

/// One of two surfaces in contact.
struct HertzMaterial {
  double stiffness = 0;  ///< E [N/m²]
  double dissipation = 0, static_friction = 0, dynamic_friction = 0, viscous_friction = 0;
};
/// The law between two materials: Eq. (3).
HertzContactLaw combine(const HertzMaterial& sphere, const HertzMaterial& plane,
                        double transition_velocity);

struct HertzContactForce {
  double elastic;  ///< Hertz's force [N]
  double normal;   ///< with damping [N]
  Vec3 f;          ///< force on the sphere [N]
};
/// n: unit normal, out of the half-space; u: velocity of the sphere's body relative to the
/// half-space's at the contact; gap: negative if they overlap [m].
HertzContactForce hertz_force(const HertzContactLaw& law, double radius, double gap, const Vec3& n,
                              const Vec3& u);
/// Energy stored at a depth of −gap [J]; zero for the smooth law, whose whole force counts as
/// power.
double hertz_energy(const HertzContactLaw& law, double radius, double gap);
/// The number of the piece of the law: sliding below or above the transition velocity; for the
/// sharp law also apart, or parting too fast to push.
int hertz_piece(const HertzContactLaw& law, double gap, const Vec3& n, const Vec3& u);

/// Derivatives of f at constant n.
struct HertzContactSlopes {
  Vec3 df_dgap;  ///< [N/m]
  Mat3 df_du;    ///< [N s/m]
};
HertzContactSlopes hertz_slopes(const HertzContactLaw& law, double radius, double gap,
                                const Vec3& n, const Vec3& u);

}  // namespace sinew
