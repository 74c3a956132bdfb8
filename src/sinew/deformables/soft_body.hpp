#pragma once

#include "sinew/core/index.hpp"
#include "sinew/deformables/elements.hpp"
#include "sinew/deformables/tet_mesh.hpp"
#include "sinew/dynamics/smooth_contact_law.hpp"
#include "sinew/math/block_lu.hpp"

/// Deformable bodies: vertices with mass, held together by tetrahedra. See
/// docs/theory/deformables.md.

namespace sinew {

/// Positions, velocities or forces of vertices, a column each, world axes.
using Points = Eigen::Matrix3Xd;

/// A vertex that rides on a body at x_B (body frame). kWorld holds it in place.
struct VertexAttachment {
  int vertex = 0;
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero();
};

/// The world's plane through `point` that the body touches, by its vertices or by those of its
/// surface.
struct SoftContact {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  ///< out of the solid; any length except zero
  SmoothContactLaw law;         ///< per point
  bool by_surface = false;
};

/// A deformable body as the user describes it.
struct SoftBodySpec {
  std::string name;
  TetMesh mesh;  ///< positions at rest, world
  Material material;
  /// Masses of vertices [kg], in addition to those of the tetrahedra; empty: none.
  std::vector<double> masses;
  std::vector<VertexAttachment> attachments;
  std::vector<SoftContact> contacts;
  TriangleMesh surface;                     ///< a fine surface that moves along; empty: none
  std::vector<Vec3> start, start_velocity;  ///< world; empty: at rest as meshed
};

/// A deformable body as a function of the positions x and velocities v of its vertices. Immutable.
/// The mass of a tetrahedron is shared by its corners: diagonal, so that M⁻¹ is a division, and so
/// that a vertex on a body is a point mass of that body.
class SoftBody {
 public:
  /// Throws an Error naming the element at fault.
  explicit SoftBody(SoftBodySpec spec);

  const std::string& name() const { return spec_.name; }
  const SoftBodySpec& spec() const { return spec_; }
  int vertex_count() const { return static_cast<int>(spec_.mesh.vertices.size()); }
  double mass(int vertex) const { return mass_[vertex]; }
  double total_mass() const;
  /// The attachment of a vertex; −1 if it is free.
  int attachment_of(int vertex) const { return attached_[vertex]; }
  /// The pairs of vertices that act on each other.
  const BlockPattern& pattern() const { return pattern_; }

  double energy(const Points& x) const;
  /// Adds forces without gravity, and the power of the dissipative ones.
  void add_forces(const Points& x, const Points& v, Points& f, double& power) const;
  /// Adds ∂f/∂x and ∂f/∂v, one block for each block of the pattern.
  void add_derivatives(const Points& x, const Points& v, std::vector<Mat3>& K,
                       std::vector<Mat3>& D) const;
  /// The vertices of the surface when the body's are at x.
  void update_surface(const Points& x, Points& surface) const;
  double volume(const Points& x) const;  ///< volume of all tetrahedra [m³]

 private:
  /// A point that touches: Σ weight_i x_i of the first `count` vertices.
  struct Touch {
    int contact;
    int count;
    std::array<int, 4> vertices;
    std::array<double, 4> weights;
    Vec3 at(const Points& x) const;
  };
  void make_elements();
  void make_touches();
  void make_pattern();

  SoftBodySpec spec_;
  std::vector<Tetrahedron> tets_;
  std::vector<double> mass_;
  std::vector<int> attached_;
  std::vector<EmbeddedPoint> embedded_;  // points of the surface
  std::vector<Touch> touches_;
  BlockPattern pattern_;
  // Destinations of the elements' blocks, row by row.
  std::vector<std::array<int, 16>> tet_blocks_, touch_blocks_;
};

}  // namespace sinew
