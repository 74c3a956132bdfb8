#pragma once

#include "sinew/dynamics/part.hpp"
#include "sinew/muscles/fast/cylinder_muscle_batch.hpp"
#include "sinew/muscles/fast/polyline_muscle_batch.hpp"
#include "sinew/muscles/hill/hill_element.hpp"
#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "sinew/muscles/hill/hill_step.hpp"

namespace sinew {

using MuscleList = std::vector<std::shared_ptr<const MuscleElement>>;
using HillList = std::vector<std::shared_ptr<const HillElement>>;

/// Scratch of all that muscles do in a step.
struct MuscleScratch final : PartScratch {
  MuscleScratch(const Skeleton& skeleton, size_t muscles, size_t hill);

  // of one muscle at a time
  MuscleWorkspace path;
  OpenSimPathWorkspace route;
  MuscleBlockWorkspace spanned;
  // of those that go eight at a time, and of straight ones; made on first use
  std::unique_ptr<const CylinderMuscleBatch> lanes;
  CylinderMuscleBatch::Workspace lane;
  std::unique_ptr<const PolylineMuscleBatch> straight;
  PolylineMuscleBatch::Workspace polygon;
  // tensions of all muscles [N]; zero for those of Hill muscles
  std::vector<double> tension;
  // forces of muscles: on coordinates; on links, world axes about their origins
  VecX tau;
  std::vector<Vec6> wrench;
  MatX dg_dq, dg_dqdot;
  /// The first muscle with mass whose tendons left no room for its belly when forces were last
  /// asked for; −1 where all have some.
  int vanished_belly = -1;
  // Hill muscles at the last add_forces: tensions; length and rate of paths [m, m/s]
  std::vector<HillTension> hill;
  VecX length, rate;
};

/// The muscles of a system, with and without mass, with a tension of their own or Hill's, as one
/// part. Its internal state: all activations, then all fibre lengths [–, m]. Its controls: tensions
/// of the muscles that have one, then excitations.
class Muscles final : public Part {
 public:
  /// Hill muscles are on some of `elements`, or on routes.
  Muscles(const Skeleton& skeleton, MuscleList elements, HillList hill);

  const MuscleList& elements() const { return elements_; }
  const HillList& hill() const { return hill_; }
  /// The control that is a muscle's tension; −1: it has none of its own.
  int tension_control(size_t muscle) const { return tension_control_[muscle]; }
  /// The control that is a Hill muscle's excitation.
  int excitation_control(size_t hill) const { return first_excitation_ + static_cast<int>(hill); }
  /// Where a Hill muscle's internal state is in z.
  Eigen::Index activation_index(size_t hill) const { return static_cast<Eigen::Index>(hill); }
  Eigen::Index fibre_index(size_t hill) const {
    return static_cast<Eigen::Index>(hill_.size() + hill);
  }
  /// Tensions from the values of the controls, into ws.tension.
  void update_tensions(const double* controls, MuscleScratch& ws) const;
  /// Makes z, as described, fit the moment, and says how it went for each Hill muscle. Throws an
  /// Error naming a muscle whose path has no length.
  std::vector<HillStatus> equilibrate(const PartAt& at, MuscleScratch& ws, VecRef z) const;

  bool has_mass() const override { return !massive_.empty(); }
  std::string element_with(Feature feature) const override;
  std::unique_ptr<PartScratch> make_scratch() const override;
  void add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                  AppliedForces& out) const override;
  void add_inertial_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                           InertialForces out) const override;
  void add_mass_and_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                           PartMass& mass, InertialForces out) const override;
  void add_inertial_derivatives(const PartAt& at, const double* qddot,
                                const DerivativeWorkspace* dws, PartScratch& scratch,
                                PartDerivatives& out) const override;
  void add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                             const DerivativeWorkspace& dws, PartScratch& scratch,
                             PartDerivatives& out) const override;
  PartEnergy energy(const PartAt& at, PartScratch& scratch) const override;
  bool mass_changes_fast() const override;
  std::string failure(const PartScratch& scratch) const override;
  int internal_count() const override { return 2 * static_cast<int>(hill_.size()); }
  void describe_internal(VecRef z) const override;
  void settle_internal(const PartAt& at, PartScratch& scratch, VecRef z) const override;
  void internal_rates(const PartAt& at, const PartScratch& scratch, VecRef zdot) const override;
  void follow_controls(const double* controls, VecRef z) const override;
  void flow_internal(const VecView& z0, double dt, const double* controls, VecRef z) const override;
  void read_stage(const PartScratch& scratch, VecRef z) const override;
  std::vector<Control> controls() const override;
  double mass() const override;

 private:
  void add_massless(const SkeletonAt& in, ForceForm how, MuscleScratch& ws,
                    AppliedForces& out) const;
  void add_hill(const PartAt& at, ForceForm how, MuscleScratch& ws, AppliedForces& out) const;
  void note_belly(size_t muscle, double length, MuscleScratch& ws) const;

  Skeleton skeleton_;
  MuscleList elements_;
  std::vector<size_t> massive_, massless_;  // of elements_
  HillList hill_;
  std::vector<int> tension_control_;
  int first_excitation_ = 0;
};

}  // namespace sinew
