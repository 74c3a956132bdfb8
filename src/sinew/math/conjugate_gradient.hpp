#pragma once

#include <array>
#include <cmath>

#include "sinew/math/types.hpp"

namespace sinew {

struct ConjugateGradientOptions {
  double tolerance = 1e-10;  ///< limit of √(rᵀP⁻¹r / bᵀP⁻¹b), the error estimate
  int iterations = 1000;
};

struct ConjugateGradientReport {
  enum class Status { converged, out_of_iterations, not_positive_definite };
  Status status = Status::converged;
  int iterations = 0;
  double residual = 0;  ///< √(rᵀP⁻¹r / bᵀP⁻¹b) at the end
  bool ok() const { return status == Status::converged; }
};

/// Scratch: residual, preconditioned residual, direction, its image.
using ConjugateGradientScratch = std::array<VecX, 4>;

/// Solves A x = b from x = 0, A symmetric and positive definite, by conjugate gradients with
/// the preconditioner P (Hestenes & Stiefel 1952; Saad 2003, algorithm 9.1). `multiply(v, out)`
/// writes A v, `precondition(v, out)` P⁻¹ v. It ends at a direction along which A is not positive.
/// No allocation once the scratch has its size.
template <class Multiply, class Precondition>
ConjugateGradientReport conjugate_gradient(const Multiply& multiply,
                                           const Precondition& precondition, const VecX& b,
                                           const ConjugateGradientOptions& options,
                                           ConjugateGradientScratch& scratch, VecX& x) {
  using Status = ConjugateGradientReport::Status;
  auto& [r, z, p, Ap] = scratch;
  ConjugateGradientReport report;
  x.setZero(b.size());
  r = b;
  z.resize(b.size());
  Ap.resize(b.size());
  precondition(r, z);
  p = z;
  double rz = r.dot(z);
  const double start = rz;
  if (start == 0) return report;
  if (!(start > 0)) {
    report.status = Status::not_positive_definite;
    return report;
  }
  const double goal = options.tolerance * options.tolerance * start;
  while (rz > goal) {
    if (report.iterations == options.iterations) {
      report.status = Status::out_of_iterations;
      break;
    }
    ++report.iterations;
    multiply(p, Ap);
    const double curvature = p.dot(Ap);
    if (!(curvature > 0)) {
      report.status = Status::not_positive_definite;
      break;
    }
    const double length = rz / curvature;
    x += length * p;
    r -= length * Ap;
    precondition(r, z);
    const double next = r.dot(z);
    p = z + (next / rz) * p;
    rz = next;
  }
  report.residual = std::sqrt(std::abs(rz) / start);
  return report;
}

}  // namespace sinew
