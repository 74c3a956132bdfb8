#include "sinew/io/osim/contacts.hpp"

#include <algorithm>

#include "sinew/constraints/contact/hertz_contact.hpp"
#include "sinew/core/names.hpp"

namespace sinew {
namespace {

using Kind = OsimContactGeometry::Kind;
using ForcePointer = std::shared_ptr<const Force>;

const OsimContactGeometry& find_shape(const OsimElement& in, const std::string& path,
                                      const std::vector<OsimContactGeometry>& geometry) {
  const std::string name = last_of_path(path);
  const auto found = std::find_if(geometry.begin(), geometry.end(),
                                  [&](const auto& shape) { return shape.name == name; });
  if (found == geometry.end()) {
    std::vector<std::string> names;
    for (const auto& shape : geometry) names.push_back(shape.name);
    in.fail("refers to '" + name.substr(0, 200) + "', which is not a contact shape of the model",
            suggest(name, names));
  }
  return *found;
}

/// A half-space is solid on the side of +x.
ContactPlane plane_of(const OsimScope& scope, const OsimContactGeometry& shape) {
  return {scope.body({shape.body, Pose()}), shape.E_BG.p, -shape.E_BG.R.col(0)};
}

ForcePointer make_force(const OsimElement& in, const std::string& name, const OsimScope& scope,
                        const OsimContactGeometry& sphere, const OsimContactGeometry& plane,
                        const HertzContactLaw& law) {
  const auto force =
      std::make_shared<HertzContact>(name, scope.body({sphere.body, Pose()}), sphere.E_BG.p,
                                     sphere.radius, plane_of(scope, plane), law);
  try {
    force->validate(scope.skeleton());
  } catch (const Error& error) {
    throw error.with_location(in.document().source(), in.line());
  }
  return force;
}

HertzMaterial read_material(const OsimElement& in) {
  return {.stiffness = in.positive("stiffness", 1),
          .dissipation = in.not_negative("dissipation", 0),
          .static_friction = in.not_negative("static_friction", 0),
          .dynamic_friction = in.not_negative("dynamic_friction", 0),
          .viscous_friction = in.not_negative("viscous_friction", 0)};
}

/// A shape of a HuntCrossleyForce and its material.
struct Surface {
  const OsimContactGeometry* shape;
  HertzMaterial material;
};

std::vector<Surface> read_surfaces(const OsimElement& in,
                                   const std::vector<OsimContactGeometry>& geometry) {
  constexpr size_t kMostSurfaces = 200;
  std::vector<Surface> out;
  std::vector<OsimElement> sets = in.objects("HuntCrossleyForce::ContactParametersSet");
  if (sets.empty()) sets = in.objects("contact_parameters");
  for (const OsimElement& parameters : sets) {
    const HertzMaterial material = read_material(parameters);
    for (const std::string& name : parameters.words("geometry")) {
      out.push_back({&find_shape(parameters, name, geometry), material});
      if (out.size() > kMostSurfaces) in.fail("has more than 200 shapes", "use several forces");
    }
  }
  return out;
}

std::vector<ForcePointer> read_hunt_crossley(const OsimElement& in, const OsimScope& scope,
                                             const std::vector<OsimContactGeometry>& geometry,
                                             std::map<std::string, int>& unsupported) {
  const std::vector<Surface> surfaces = read_surfaces(in, geometry);
  const double transition = in.positive("transition_velocity", 0.01);
  std::vector<ForcePointer> out;
  for (size_t i = 0; i < surfaces.size(); ++i)
    for (size_t j = 0; j < surfaces.size(); ++j) {
      const Surface &a = surfaces[i], &b = surfaces[j];
      if (a.shape->body == b.shape->body) continue;
      if (i < j && (a.shape->kind == Kind::mesh || b.shape->kind == Kind::mesh))
        ++unsupported["HuntCrossleyForce of a mesh"];
      if (a.shape->kind != Kind::sphere) continue;
      if (b.shape->kind == Kind::sphere && i < j) ++unsupported["HuntCrossleyForce of two spheres"];
      if (b.shape->kind != Kind::half_space) continue;
      out.push_back(make_force(in, in.name() + "/" + a.shape->name + "/" + b.shape->name, scope,
                               *a.shape, *b.shape, combine(a.material, b.material, transition)));
    }
  return out;
}

ForcePointer read_smooth(const OsimElement& in, const OsimScope& scope,
                         const std::vector<OsimContactGeometry>& geometry) {
  const auto connected = [&](const char* key, Kind kind) -> const OsimContactGeometry& {
    const OsimContactGeometry& shape = find_shape(in, in.text(key), geometry);
    if (shape.kind != kind)
      in.fail("its <" + std::string(key) + "> is a " + name_of(shape.kind),
              "name a " + std::string(name_of(kind)));
    return shape;
  };
  const OsimContactGeometry& sphere = connected("socket_sphere", Kind::sphere);
  const OsimContactGeometry& plane = connected("socket_half_space", Kind::half_space);
  const HertzMaterial material = read_material(in);
  HertzContactLaw law = combine(material, material, in.positive("transition_velocity", 0.01));
  law.smooth = true;
  law.smoothing = in.positive("constant_contact_force", 1e-5);
  law.depth_sharpness = in.positive("hertz_smoothing", 300);
  law.velocity_sharpness = in.positive("hunt_crossley_smoothing", 50);
  return make_force(in, in.name(), scope, sphere, plane, law);
}

}  // namespace

bool is_osim_contact(const OsimElement& in) {
  return in.type() == "HuntCrossleyForce" || in.type() == "SmoothSphereHalfSpaceForce";
}

std::vector<ForcePointer> read_osim_contacts(const OsimElement& in, const OsimScope& scope,
                                             const std::vector<OsimContactGeometry>& geometry,
                                             std::map<std::string, int>& unsupported) {
  if (in.type() == "HuntCrossleyForce") return read_hunt_crossley(in, scope, geometry, unsupported);
  return {read_smooth(in, scope, geometry)};
}

}  // namespace sinew
