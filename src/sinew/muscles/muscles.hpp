#pragma once

#include "sinew/dynamics/part.hpp"
#include "sinew/muscles/fast/massive_muscles.hpp"
#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "sinew/muscles/hill/hill_step.hpp"
#include "sinew/muscles/muscle_element.hpp"

namespace sinew {

/// Scratch of all that muscles do in a step.
struct MuscleScratch final : PartScratch {
  MuscleScratch(const Skeleton& skeleton, size_t muscles, size_t hill);

  PathWorkspace path;
  MassiveMuscles::Workspace massive;
  // tensions of all muscles at the last evaluation [N]
  std::vector<double> tension;
  // forces that pulls ask for: on coordinates; on links, world axes about their origins
  VecX tau;
  std::vector<Vec6> wrench;
  // Hill muscles at the last evaluation: tensions; length and rate of paths [m, m/s]; gradients of
  // lengths, after ForceForm::wrenches
  std::vector<HillTension> hill;
  VecX length, rate;
  std::vector<std::vector<double>> dL;
  // derivatives of one pull that depends on the path's rate; of mass along the same path
  MatX pull_dq, mass_dq, unused_dqdot;
  std::vector<Vec6> pull_wrench, mass_wrench;
  VecX unused_tau, rate_dq;
};

/// The muscles of a system as one part. Its internal state: the activations of all muscles with a
/// Hill description, then their fibre lengths [–, m]. Its controls: the tensions of the muscles
/// without one, then excitations.
class Muscles final : public Part {
 public:
  Muscles(const Skeleton& skeleton, MuscleList elements);

  const MuscleList& elements() const { return elements_; }
  /// Numbers of the muscles with a Hill description: in the order of the internal state.
  const std::vector<size_t>& hill() const { return hill_; }
  /// The place of a muscle in hill(); −1: it is not among them.
  int hill_index(size_t muscle) const { return hill_index_[muscle]; }
  /// The control that drives a muscle: its excitation, or its tension.
  int control(size_t muscle) const { return control_[muscle]; }
  /// Where a Hill muscle's internal state is in z.
  Eigen::Index activation_index(size_t hill) const { return static_cast<Eigen::Index>(hill); }
  Eigen::Index fibre_index(size_t hill) const {
    return static_cast<Eigen::Index>(hill_.size() + hill);
  }
  /// Tensions that are controls, into ws.tension; zero for Hill muscles.
  void update_tensions(const double* controls, MuscleScratch& ws) const;
  /// Makes z, as described, fit the moment, and says how it went for each Hill muscle. Throws an
  /// Error naming a muscle whose path has no length.
  std::vector<HillStatus> equilibrate(const PartAt& at, Settling how, MuscleScratch& ws,
                                      VecRef z) const;

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
  PartEvent failure(const PartScratch& scratch) const override;
  int internal_count() const override { return 2 * static_cast<int>(hill_.size()); }
  void describe_internal(VecRef z) const override;
  void internal_units(VecRef units) const override;
  void settle_internal(const PartAt& at, Settling how, PartScratch& scratch,
                       VecRef z) const override;
  void internal_rates(const PartAt& at, const PartScratch& scratch, VecRef zdot) const override;
  void follow_controls(const double* controls, VecRef z) const override;
  void flow_internal(const VecView& z0, double dt, const double* controls, VecRef z) const override;
  void differentiate_flow(bool follow, const VecView& z0, double dt, const double* controls,
                          std::vector<InternalFlow>& out) const override;
  void add_internal_derivatives(const PartAt& at, PartScratch& scratch, int first,
                                InternalDerivatives& out) const override;
  void read_stage(const PartScratch& scratch, VecRef z) const override;
  std::vector<Control> controls() const override;
  void add_control_derivatives(const PartAt& at, PartScratch& scratch,
                               MatRef columns) const override;
  Obstacle obstacle() const override;
  /// One for each muscle: excitation above or below activation, held at limits, fibre at its least
  /// length, exact surfaces touched; negative where its path is lost.
  void append_pieces(const PartAt& at, PartScratch& scratch, std::vector<int>& out) const override;
  /// One for each span whose side of the surface is chosen anew at each moment.
  void append_sides(const PartAt& at, PartScratch& scratch,
                    std::vector<ChosenSide>& out) const override;
  std::string piece_name(size_t k) const override {
    return "muscle '" + elements_[k]->name() + "'";
  }
  double mass() const override;

 private:
  class PullsWithMass;
  const HillDescription& hill_of(size_t hill) const {
    return *elements_[hill_[hill]]->muscle().hill;
  }
  Tensions tensions(TensionLaw& law, const MuscleScratch& ws) const;
  /// ∂T/∂L̇ of the last evaluation.
  double tension_by_rate(size_t muscle, const MuscleScratch& ws) const {
    return hill_index_[muscle] < 0 ? 0 : ws.hill[static_cast<size_t>(hill_index_[muscle])].d_rate;
  }
  /// Adds the derivatives of a pull at constant tension and, if the tension depends on the path's
  /// rate, those through ∂L̇/∂q.
  void add_pull_derivatives(size_t muscle, const PartAt& at, const double* qddot,
                            const DerivativeWorkspace& dws, MuscleScratch& ws,
                            PartDerivatives& out) const;
  /// The same of a pull and the mass along its path.
  void add_pull_and_mass_derivatives(size_t muscle, const PartAt& at, const double* qddot,
                                     const DerivativeWorkspace& dws, MuscleScratch& ws,
                                     PartDerivatives& out) const;
  /// Those through ∂L̇/∂q alone, from the pull's wrenches and derivatives in `ws`.
  void add_rate_derivatives(size_t muscle, const PartAt& at, const DerivativeWorkspace& dws,
                            MuscleScratch& ws, PartDerivatives& out) const;
  /// The tension of a Hill muscle whose path has this length and rate, kept in the scratch.
  double pull_hill(size_t hill, double length, double rate, const PartAt& at,
                   MuscleScratch& ws) const;

  Skeleton skeleton_;
  MuscleList elements_;
  MassiveMuscles massive_;
  std::vector<size_t> hill_;
  std::vector<int> hill_index_, control_;
  bool tensions_known_ = true;  // no muscle with mass needs its path to know its tension
};

}  // namespace sinew
