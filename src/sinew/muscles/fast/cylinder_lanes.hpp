#pragma once

/// Muscles around cylinders, several at a time: one per lane of vector registers. Plain arrays and
/// no inline functions of others, because one file is compiled for each instruction set.
///
/// A muscle in a lane runs from a point o on the link that carries its cylinder to a point i on
/// another link that one coordinate moves against the first. S is the frame of the cylinder, z its
/// axis. docs/theory/muscles.md, "In lanes".

namespace sinew::lanes {

inline constexpr int kLanes = 8;
using Lane = double[kLanes];

/// What does not change of eight muscles.
struct alignas(64) Description {
  Lane o[3];            ///< in S
  Lane x_i[3];          ///< in the frame of the link it is on
  Lane R[9], p[3];      ///< S in the frame of its link, row by row
  Lane radius, band;    ///< band 0: the exact model
  Lane half_length;     ///< infinite of cylinders without ends
  Lane side;            ///< ±1, sense of winding about z from o to i
  Lane A0, A1, B0, B1;  ///< material map
  Lane mass;
};

/// How they move. All in axes of the cylinder's link, about its origin.
struct alignas(64) Motion {
  Lane R[9], p[3];    ///< the link of i
  Lane w[3], v[3];    ///< per unit rate of the coordinate, the field ∂x/∂q = v + w × x
  Lane dw[3], dv[3];  ///< its rate along the motion: ẍ = v̇ + ẇ × x + w q̇ × ẋ
  Lane rate;          ///< q̇
  Lane omega[3], alpha[3], a[3];  ///< of the cylinder's link; a less gravity
};

/// What they add. In axes of the cylinder's link, about its origin.
struct alignas(64) Result {
  Lane h[3], E[6];           ///< ∫x dm; ∫x xᵀ dm: xx xy xz yy yz zz
  Lane torque[3], force[3];  ///< ∫(x × a) dm, ∫a dm
  Lane n[3], f[3];           ///< momentum per unit rate, angular and linear
  Lane M, tau;               ///< of the coordinate; without the tension
  Lane length, slope;        ///< L, ∂L/∂q
  Lane odd;                  ///< not 0 where this way cannot be gone: the rest means nothing then
};

using Kernel = void (*)(const Description&, const Motion&, Result&);

/// Of the vector_unit(); the same bits from each.
Kernel chosen_kernel();

void evaluate_sse2(const Description& of, const Motion& in, Result& out);
/// Null where the compiler or the machine does not have the instructions.
Kernel avx2_kernel();
Kernel avx512_kernel();

}  // namespace sinew::lanes
