#pragma once

#include <string>
#include <variant>
#include <vector>

/// The tension of a strand as a function of its strain ε = L/L₀ − 1, L₀ its rest length. Equation
/// numbers are those of docs/theory/strands.md.

namespace sinew {

/// T = stiffness · ε; the stiffness is E A [N].
struct LinearStretch {
  double stiffness = 4900;
};

/// Tensions [N] at increasing strains, straight lines between them and beyond the ends.
struct TableStretch {
  std::vector<double> strain, tension;
};

/// A tendon after Thelen 2003: exponential up to a third of `force`, then straight, with `force` at
/// `strain`.
struct TendonStretch {
  double force = 1000;   ///< [N]
  double strain = 0.04;  ///< at that force
};

struct StretchLaw {
  std::variant<LinearStretch, TableStretch, TendonStretch> elastic;
  double damping = 0;  ///< d: adds the tension d ε̇ [N s]
  /// It pulls only: T = 0 if ε ≤ 0, and |d ε̇| counts only up to the elastic tension, so that it
  /// neither pushes nor jumps where it becomes taut. Otherwise it also pushes.
  bool slack = true;
  /// One that pulls only takes all of d ε̇, T = max(0, ·): it jumps where it becomes taut, and may
  /// have no stiffness at all.
  bool full_damping = false;

  /// Throws an Error naming `element` if a number is out of range.
  void validate(const std::string& element) const;
};

/// The law at one strain and rate of strain.
struct Stretch {
  double energy = 0;                  ///< per rest length [N]
  double elastic = 0;                 ///< its derivative by ε: the tension without damping [N]
  double tension = 0;                 ///< [N]
  double by_strain = 0, by_rate = 0;  ///< derivatives of the tension [N, N s]
  int piece = 0;                      ///< of the law: where it changes the tension bends
};
Stretch evaluate(const StretchLaw& law, double strain, double rate);

}  // namespace sinew
