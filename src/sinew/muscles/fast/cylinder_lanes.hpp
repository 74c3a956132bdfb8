#pragma once

/// Muscles around cylinders, several at a time: one per lane of vector registers. Uses plain arrays
/// and no inline functions from other files, because one file is compiled for each instruction set.
///
/// A muscle in a lane runs from a point o on the link that carries its cylinder to a point i on
/// another link that one coordinate moves against the first. S is the frame of the cylinder, z its
/// axis. docs/theory/muscles.md, "In lanes".

namespace sinew::lanes {

inline constexpr int kLanes = 8;
using Lane = double[kLanes];

/// The constants of eight muscles.
struct alignas(64) Description {
  Lane o[3];            ///< in S
  Lane x_i[3];          ///< in the frame of the link it is on
  Lane R[9], p[3];      ///< S in the frame of its link, row by row
  Lane radius, band;    ///< band 0: the exact model
  Lane half_length;     ///< infinite for cylinders without ends
  Lane side;            ///< ±1, sense of winding about z from o to i
  Lane A0, A1, B0, B1;  ///< material map
  Lane mass;
};

/// The motion of eight muscles, in axes of the cylinder's link, about its origin.
struct alignas(64) Motion {
  Lane R[9], p[3];    ///< the link of i
  Lane w[3], v[3];    ///< per unit rate of the coordinate, the field ∂x/∂q = v + w × x
  Lane dw[3], dv[3];  ///< its rate along the motion: ẍ = v̇ + ẇ × x + w q̇ × ẋ
  Lane rate;          ///< q̇
  Lane omega[3], alpha[3], a[3];  ///< motion of the cylinder's link; a less gravity
};

/// The contributions of eight muscles, in axes of the cylinder's link, about its origin.
struct alignas(64) Result {
  Lane h[3], E[6];           ///< ∫x dm; ∫x xᵀ dm: xx xy xz yy yz zz
  Lane torque[3], force[3];  ///< ∫(x × a) dm, ∫a dm
  Lane n[3], f[3];           ///< momentum per unit rate, angular and linear
  Lane M, tau;               ///< for the coordinate; without the tension
  Lane length, slope;        ///< L, ∂L/∂q
  Lane odd;                  ///< not 0 if this method fails: the rest is then meaningless
};

using Kernel = void (*)(const Description&, const Motion&, Result&);

/// For the vector_unit(); all give the same bits.
Kernel chosen_kernel();

void evaluate_sse2(const Description& of, const Motion& in, Result& out);
/// Null if the compiler or the machine does not have the instructions.
Kernel avx2_kernel();
Kernel avx512_kernel();

}  // namespace sinew::lanes
