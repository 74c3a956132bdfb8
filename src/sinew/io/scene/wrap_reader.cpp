#include "sinew/io/scene/wrap_reader.hpp"

#include <limits>

#include "sinew/io/scene/mesh_reader.hpp"
#include "sinew/io/scene/network_reader.hpp"
#include "sinew/io/scene/scene_library.hpp"
#include "sinew/muscles/wrap/distance_grid.hpp"

namespace sinew {
namespace {

constexpr std::array kWrapSides = {WrapSide::counter_clockwise, WrapSide::clockwise,
                                   WrapSide::nearest};

WrapModelName read_model_name(const ObjectReader& in, const WrapDefaults& defaults) {
  if (!in.has("model")) return defaults.model;
  return static_cast<WrapModelName>(in.choice("model", wrap_model_names()));
}

/// The keys of all models except networks.
template <class W>
void read_model(const ObjectReader& in, const WrapDefaults& defaults, W& wrap) {
  const WrapModelName model = read_model_name(in, defaults);
  if (model == WrapModelName::neural)
    in.fail(in.has("model") ? in.at("model").line : in.line(),
            "there is no network for a surface of this type", "choose 'smooth' or 'exact'");
  wrap.model = model == WrapModelName::exact ? WrapKind::exact : WrapKind::smooth;
  wrap.band = in.positive_or("band", defaults.band);
}

/// A direction of any length except zero.
Vec3 read_axis(const ObjectReader& in, std::string_view key, const Vec3& fallback) {
  const Vec3 v = in.vector3_or(key, fallback);
  if (!(v.norm() > 1e-12))
    in.fail(in.at(key).line, "'" + std::string(key) + "' is zero", "give a direction");
  return v.normalized();
}

/// "<name>.mlp" beside the scene, or in models/neural beside its folder or beside that of the
/// scenes that come with the program, which has those that come with it, too.
std::shared_ptr<const WrapNetwork> read_network(const ObjectReader& in,
                                                const WrapDefaults& defaults,
                                                const std::string& fallback) {
  std::string name = defaults.network.empty() ? fallback : defaults.network;
  if (in.has("network")) name = in.name("network");
  std::shared_ptr<const WrapNetwork>& network = defaults.files->networks[name];
  if (network) return network;
  const std::filesystem::path file = name + ".mlp", shipped = "../models/neural" / file;
  const std::filesystem::path& folder = in.context().folder;
  for (const std::filesystem::path& path :
       {folder / file, folder / shipped, scene_folder() / shipped}) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) continue;
    try {
      network = read_wrap_network(path);
    } catch (const Error& error) {
      in.fail(in.line(), error.what(), "");
    }
    return network;
  }
  in.fail(in.line(), "there is no network '" + name + "'",
          "put " + name + ".mlp beside the scene, or use one that comes with the program");
}

NeuralWrap neural_wrap(double radius, WrapSide side, std::shared_ptr<const WrapNetwork> network) {
  NeuralWrap wrap{radius, side, std::move(network)};
  if (wrap.network->pieces() > 0) wrap.pieces = wrap.network->pieces();
  return wrap;
}

Wrap read_cylinder(const ObjectReader& in, const WrapDefaults& defaults) {
  const double metre = in.context().units.length;
  const double radius = in.positive("radius", metre);
  const WrapSide side =
      kWrapSides[in.choice_or("side", 0, {"counter-clockwise", "clockwise", "nearest"})];
  if (read_model_name(in, defaults) == WrapModelName::neural)
    return neural_wrap(radius, side, read_network(in, defaults, "cylinder-polyline"));
  CylinderWrap wrap;
  read_model(in, defaults, wrap);
  wrap.radius = radius;
  wrap.side = side;
  wrap.half_length = in.positive_or("half_length", std::numeric_limits<double>::infinity(), metre);
  return wrap;
}

Wrap read_sphere(const ObjectReader& in, const WrapDefaults& defaults) {
  SphereWrap wrap;
  read_model(in, defaults, wrap);
  wrap.radius = in.positive("radius", in.context().units.length);
  wrap.axis = read_axis(in, "axis", wrap.axis);
  wrap.antipode_band = in.positive_or("antipode_band", wrap.antipode_band);
  return wrap;
}

/// Two circles in the plane z = 0.
Wrap read_double_cylinder(const ObjectReader& in, const WrapDefaults& defaults) {
  const double metre = in.context().units.length;
  DoubleCylinderWrap wrap;
  read_model(in, defaults, wrap);
  const std::vector<JsonNode>& circles = in.list("circles");
  if (circles.size() != 2)
    in.fail(in.at("circles").line, "needs two 'circles'", "put the one that is met first in front");
  for (size_t k = 0; k < 2; ++k) {
    const ObjectReader circle(in.context(), circles[k], in.element(), scene_keys::kWrapCircle);
    const std::vector<double> center = circle.numbers(circle.at("center"), 2, "center", metre);
    wrap.circle[k] = {center[0], center[1], circle.positive("radius", metre),
                      kWrapSides[circle.choice_or("side", 0, {"counter-clockwise", "clockwise"})]};
  }
  return wrap;
}

Wrap read_ellipsoid(const ObjectReader& in, const WrapDefaults& defaults) {
  EllipsoidWrap wrap;
  read_model(in, defaults, wrap);
  wrap.semi_axes = in.vector3("semi_axes", in.context().units.length);
  if (in.has("side")) wrap.side = read_axis(in, "side", Vec3::UnitZ());
  return wrap;
}

Wrap read_torus(const ObjectReader& in, const WrapDefaults& defaults) {
  static constexpr std::array kSides = {TorusSide::nearest, TorusSide::down_hole,
                                        TorusSide::up_hole};
  TorusWrap wrap;
  read_model(in, defaults, wrap);
  wrap.radius = in.positive("radius", in.context().units.length);
  wrap.tube = in.positive("tube", in.context().units.length);
  wrap.side = kSides[in.choice_or("side", 0, {"nearest", "down-hole", "up-hole"})];
  return wrap;
}

Wrap read_capped_cylinder(const ObjectReader& in, const WrapDefaults& defaults) {
  const double radius = in.positive("radius", in.context().units.length);
  if (read_model_name(in, defaults) == WrapModelName::neural)
    return neural_wrap(radius,
                       kWrapSides[in.choice_or("winding", 0, {"counter-clockwise", "clockwise"})],
                       read_network(in, defaults, "capped-cylinder-invariant"));
  CappedCylinderWrap wrap;
  read_model(in, defaults, wrap);
  wrap.radius = radius;
  if (in.has("side")) wrap.side = read_axis(in, "side", Vec3::UnitX());
  return wrap;
}

Wrap read_mesh_wrap(const ObjectReader& in, const WrapDefaults& defaults) {
  const double metre = in.context().units.length;
  ImplicitWrap wrap;
  wrap.size = in.positive("size", metre);
  wrap.softness = in.positive_or("softness", wrap.softness);
  if (in.has("side")) wrap.side = read_axis(in, "side", Vec3::UnitX());
  std::shared_ptr<const LevelFunction>& level =
      defaults.files->meshes[{in.at("file").text, in.positive_or("scale", 1), wrap.size}];
  if (!level) {
    const TriangleMesh mesh = read_mesh(in);
    try {
      level = DistanceGrid::FromMesh(mesh, wrap.size, in.element());
    } catch (const Error& error) {
      throw in.context().located(error, in.line());
    }
  }
  wrap.level = level;
  return wrap;
}

/// The index of a type in the variant Wrap.
template <class W, size_t I = 0>
constexpr size_t index_of() {
  if constexpr (std::is_same_v<W, std::variant_alternative_t<I, Wrap>>)
    return I;
  else
    return index_of<W, I + 1>();
}

/// One line for each type.
struct TypeReader {
  std::string_view type;
  size_t index;  ///< index into the variant
  Wrap (*read)(const ObjectReader& in, const WrapDefaults& defaults);
};
constexpr TypeReader kTypeReaders[] = {
    {"cylinder", index_of<CylinderWrap>(), read_cylinder},
    {"sphere", index_of<SphereWrap>(), read_sphere},
    {"double-cylinder", index_of<DoubleCylinderWrap>(), read_double_cylinder},
    {"ellipsoid", index_of<EllipsoidWrap>(), read_ellipsoid},
    {"torus", index_of<TorusWrap>(), read_torus},
    {"capped-cylinder", index_of<CappedCylinderWrap>(), read_capped_cylinder},
    {"mesh", index_of<ImplicitWrap>(), read_mesh_wrap},
};

}  // namespace

const std::vector<std::string>& wrap_model_names() {
  static const std::vector<std::string> kNames = {"exact", "smooth", "neural"};
  return kNames;
}

std::string name_of(const Wrap& wrap) {
  if (std::holds_alternative<Straight>(wrap)) return "straight";
  if (const auto* neural = std::get_if<NeuralWrap>(&wrap)) return neural->network->name();
  for (const TypeReader& reader : kTypeReaders)
    if (reader.index == wrap.index()) return std::string(reader.type);
  throw std::logic_error("a wrap that no scene can have");
}

Wrap read_wrap(const ObjectReader& owner, const JsonNode& node, const WrapDefaults& defaults) {
  const ObjectKind& kind = kind_of_type(owner, node, scene_keys::kWrapTypes);
  const ObjectReader in(owner.context(), node, owner.element(), kind);
  for (const TypeReader& reader : kTypeReaders) {
    if (reader.type != type_of(kind)) continue;
    const Wrap wrap = reader.read(in, defaults);
    try {
      std::visit(
          [&](const auto& w) {
            if constexpr (requires { validate(w, in.element()); }) validate(w, in.element());
          },
          wrap);
    } catch (const Error& error) {
      throw in.context().located(error, node.line);
    }
    return wrap;
  }
  throw std::logic_error("no reader for wrap type " + type_of(kind));
}

}  // namespace sinew
