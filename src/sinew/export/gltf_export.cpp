#include "sinew/export/gltf_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/version.hpp"
#include "sinew/export/colors.hpp"
#include "sinew/export/gltf_file.hpp"
#include "sinew/export/soft_modes.hpp"
#include "sinew/export/solid_mesh.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/report/report_frame.hpp"

namespace sinew {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSides = 10;               // of a tube
constexpr double kSoftTolerance = 1e-4;  // of the size of a soft body
constexpr int kMostModes = 100;

double linear(double screen) {
  return screen <= 0.04045 ? screen / 12.92 : std::pow((screen + 0.055) / 1.055, 2.4);
}

Json numbers_of(const Eigen::Quaterniond& r) { return {r.x(), r.y(), r.z(), r.w()}; }

void put_pose(const Pose& E, Json& node) {
  node["translation"] = numbers(E.p);
  node["rotation"] = numbers_of(Eigen::Quaterniond(E.R));
}

/// Half the diagonal of the box around everything that moves, at first.
double size_of(const ExportFrames& frames) {
  Eigen::AlignedBox3d box;
  for (const auto& body : frames.bodies) box.extend(body[0].p);
  for (const auto* lines : {&frames.muscles, &frames.lines})
    for (const LineFrames& line : *lines)
      for (const Vec3& x : line[0]) box.extend(x);
  return box.isEmpty() || box.diagonal().norm() < 1e-9 ? 1 : box.diagonal().norm();
}

class GltfExport {
 public:
  GltfExport(const ExportModel& model, const ExportFrames& frames, std::vector<std::string>& notes)
      : model_(model), frames_(frames), notes_(notes), size_(size_of(frames)) {
    const Eigen::Quaterniond turn = upright(model.system.gravity());
    Json root = {{"name", model.name}};
    if (turn.angularDistance(Eigen::Quaterniond::Identity()) > 0)
      root["rotation"] = numbers_of(turn);
    root["extras"] = {{"sinew", "the world; y is up, metres"},
                      {"start", frames.t.front()},
                      {"gravity", numbers(model.system.gravity())}};
    root_ = file_.add_node(std::move(root));
    std::vector<double> t;
    for (const double time : frames.t) t.push_back(time - frames.t.front());
    times_ = file_.times(t);
  }

  std::string bytes(const std::string& element) {
    add_bodies();
    add_muscles();
    add_lines();
    add_surfaces();
    const Json asset = {{"version", "2.0"},
                        {"generator", fmt::format("sinew {} ({})", version(), commit())},
                        {"extras", {{"title", model_.title}, {"citation", model_.citation}}}};
    return file_.bytes(asset, model_.name, element);
  }

 private:
  /// A node of the scene's root.
  int add_node(Json node) {
    const int out = file_.add_node(std::move(node));
    file_.add_child(root_, out);
    return out;
  }

  int material(const std::string& name, const Paint& paint, bool double_sided) {
    const Vec3& c = paint.color;
    Json out = {{"name", name},
                {"pbrMetallicRoughness",
                 {{"baseColorFactor", {linear(c[0]), linear(c[1]), linear(c[2]), paint.opacity}},
                  {"metallicFactor", paint.metalness},
                  {"roughnessFactor", paint.roughness}}}};
    if (paint.opacity < 1) out["alphaMode"] = "BLEND";
    if (double_sided) out["doubleSided"] = true;
    return file_.add_material(out);
  }

  Json primitive(const SolidMesh& mesh, int material) {
    return {
        {"attributes",
         {{"POSITION", file_.vertices(mesh.vertices)}, {"NORMAL", file_.vertices(mesh.normals)}}},
        {"indices", file_.triangles(mesh.triangles)},
        {"material", material}};
  }

  void add_solid(int parent, const std::string& name, const SolidMesh& mesh, int material,
                 const Pose& E) {
    if (mesh.triangles.empty()) return;
    Json node = {
        {"name", name},
        {"mesh", file_.add_mesh(
                     {{"name", name}, {"primitives", Json::array({primitive(mesh, material)})}})}};
    put_pose(E, node);
    file_.add_child(parent, file_.add_node(std::move(node)));
  }

  void add_shapes(int parent, const std::string& name, const std::vector<DrawnShape>& shapes,
                  const Paint& otherwise) {
    int count = 0;
    for (const DrawnShape& shape : shapes)
      add_solid(parent, fmt::format("{}_shape_{}", name, ++count), solid_mesh(shape.form),
                material(shape.appearance.material.empty() ? "body" : shape.appearance.material,
                         shape_paint(shape.appearance, otherwise),
                         std::holds_alternative<TriangleMesh>(shape.form)),
                shape.E_BS);
  }

  void add_bodies() {
    const Skeleton& skeleton = model_.system.skeleton();
    const DrawnShapes shapes = drawn_shapes(skeleton, model_.look, notes_);
    const bool alive = !frames_.muscles.empty() || !frames_.surfaces.empty();
    for (int k = 0; k < skeleton.body_count(); ++k) {
      const auto i = static_cast<size_t>(k);
      const Body& body = skeleton.bodies()[i];
      Json node = {
          {"name", body.name},
          {"extras",
           {{"kind", "body"},
            {"parent", body.parent == kWorld ? "world" : skeleton.body(body.parent).name}}}};
      put_pose(frames_.bodies[i][0], node);
      const int at = add_node(std::move(node));
      std::vector<Vec3> places;
      std::vector<Eigen::Quaterniond> turns;
      for (const Pose& E : frames_.bodies[i]) {
        places.push_back(E.p);
        turns.emplace_back(E.R);
      }
      animate(at, places);
      animate(at, turns);
      const Paint paint = body_paint(k, skeleton.body_count(), alive);
      add_shapes(at, body.name, shapes.bodies[i], paint);
      if (!shapes.bodies[i].empty()) continue;
      int count = 0;
      for (const auto& [from, to] : sticks(skeleton, k))
        add_solid(at, fmt::format("{}_stick_{}", body.name, ++count), bone_mesh(from, to),
                  material("body", paint, false), {});
    }
    if (shapes.fixed.empty()) return;
    add_shapes(add_node({{"name", "world"}}), "world", shapes.fixed, sinew::paint(kFixedColor));
  }

  void animate(int node, const std::vector<Vec3>& places) {
    std::vector<double> flat;
    for (const Vec3& x : places) flat.insert(flat.end(), x.begin(), x.end());
    if (std::any_of(places.begin(), places.end(), [&](const Vec3& x) { return x != places[0]; }))
      file_.animate(node, "translation", times_, file_.values(flat, 3));
  }

  void animate(int node, const std::vector<Eigen::Quaterniond>& turns) {
    std::vector<double> flat;
    Eigen::Quaterniond last = turns[0];
    bool moves = false;
    for (Eigen::Quaterniond turn : turns) {
      // The two signs are the same turn: the one that is nearer to the last.
      if (turn.dot(last) < 0) turn.coeffs() *= -1;
      last = turn;
      moves |= turn.coeffs() != turns[0].coeffs();
      flat.insert(flat.end(), {turn.x(), turn.y(), turn.z(), turn.w()});
    }
    if (moves) file_.animate(node, "rotation", times_, file_.values(flat, 4));
  }

  void animate_scale(int node, const std::vector<double>& scales) {
    std::vector<double> flat;
    for (const double s : scales) flat.insert(flat.end(), {s, s, s});
    if (std::any_of(scales.begin(), scales.end(), [](double s) { return s != 1; }))
      file_.animate(node, "scale", times_, file_.values(flat, 3));
  }

  /// A tube: a node for each point of its line, and a skin of rings that each follow one of them.
  /// `radii` per frame; `paints` of the pieces between points, each one of `materials`.
  void add_tube(const std::string& name, const char* kind, const LineFrames& lines,
                const std::vector<std::vector<double>>& radii, const std::vector<int>& pieces,
                const std::vector<int>& materials) {
    const size_t points = lines[0].size(), frames = lines.size();
    std::vector<std::vector<Eigen::Quaterniond>> turns;
    Vec3 side = Vec3::UnitX();
    for (const std::vector<Vec3>& line : lines) turns.push_back(across(line, side));

    const int holder = add_node({{"name", name + "_path"}});
    std::vector<int> joints;
    std::vector<double> binds;
    for (size_t k = 0; k < points; ++k) {
      Json node = {{"name", fmt::format("{}_point_{}", name, k + 1)}};
      const Pose E{turns[0][k].toRotationMatrix(), lines[0][k]};
      put_pose(E, node);
      const int joint = file_.add_node(std::move(node));
      file_.add_child(holder, joint);
      joints.push_back(joint);
      const Mat4 inverse = E.inverse().matrix();
      binds.insert(binds.end(), inverse.data(), inverse.data() + 16);
      std::vector<Vec3> places;
      std::vector<Eigen::Quaterniond> ring_turns;
      std::vector<double> scales;
      for (size_t f = 0; f < frames; ++f) {
        places.push_back(lines[f][k]);
        ring_turns.push_back(turns[f][k]);
        scales.push_back(radii[f][k] / radii[0][k]);
      }
      animate(joint, places);
      animate(joint, ring_turns);
      animate_scale(joint, scales);
    }
    const int skin = file_.add_skin({{"joints", joints},
                                     {"inverseBindMatrices", file_.values(binds, 16)},
                                     {"skeleton", holder}});
    add_node({{"name", name},
              {"mesh", tube_mesh(name, lines[0], turns[0], radii[0], pieces, materials)},
              {"skin", skin},
              {"extras", {{"kind", kind}, {"points", points}}}});
  }

  int tube_mesh(const std::string& name, const std::vector<Vec3>& line,
                const std::vector<Eigen::Quaterniond>& turns, const std::vector<double>& radii,
                const std::vector<int>& pieces, const std::vector<int>& materials) {
    SolidMesh mesh;
    std::vector<int> owner;
    for (size_t k = 0; k < line.size(); ++k)
      for (int j = 0; j < kSides; ++j) {
        const double angle = 2 * std::numbers::pi * j / kSides;
        const Vec3 out = turns[k] * Vec3(std::cos(angle), std::sin(angle), 0);
        mesh.add_vertex(line[k] + radii[k] * out, out);
        owner.push_back(static_cast<int>(k));
      }
    const Json attributes = {{"POSITION", file_.vertices(mesh.vertices)},
                             {"NORMAL", file_.vertices(mesh.normals)},
                             {"JOINTS_0", file_.joints(owner)},
                             {"WEIGHTS_0", file_.weights(owner.size())}};
    Json primitives = Json::array();
    for (size_t m = 0; m < materials.size(); ++m) {
      std::vector<int> triangles;
      for (size_t k = 0; k < pieces.size(); ++k) {
        if (pieces[k] != static_cast<int>(m)) continue;
        const int low = static_cast<int>(k) * kSides, high = low + kSides;
        for (int j = 0; j < kSides; ++j) {
          const int next = (j + 1) % kSides;
          triangles.insert(triangles.end(),
                           {low + j, low + next, high + next, low + j, high + next, high + j});
        }
      }
      if (!triangles.empty())
        primitives.push_back({{"attributes", attributes},
                              {"indices", file_.triangles(triangles)},
                              {"material", materials[m]}});
    }
    return file_.add_mesh({{"name", name}, {"primitives", primitives}});
  }

  void add_muscles() {
    if (frames_.muscles.empty()) return;
    const std::vector<DrawnBelly> bellies = drawn_bellies(model_.system);
    const std::vector<int> materials = {material("muscle", sinew::paint(kMuscleColor), true),
                                        material("tendon", sinew::paint(kTendonColor), true)};
    for (size_t m = 0; m < frames_.muscles.size(); ++m) {
      if (frames_.muscles[m][0].size() < 2) continue;
      const MuscleTube tube(bellies[m], frames_.muscles[m], size_);
      std::vector<int> pieces;
      for (size_t k = 0; k + 1 < tube.lines()[0].size(); ++k)
        pieces.push_back(tube.fleshy(k) ? 0 : 1);
      add_tube(model_.system.muscles()[m]->name(), "muscle", tube.lines(), tube.radii(), pieces,
               materials);
    }
  }

  void add_lines() {
    const std::vector<MovingShape> shapes = drawn_lines(model_.system);
    for (size_t k = 0; k < shapes.size(); ++k) {
      const LineFrames& lines = frames_.lines[k];
      if (lines[0].size() < 2) continue;
      const std::vector<std::vector<double>> radii(
          lines.size(), std::vector<double>(lines[0].size(), 0.0035 * size_));
      add_tube(shapes[k].name, shapes[k].kind.c_str(), lines, radii,
               std::vector<int>(lines[0].size() - 1, 0),
               {material(shapes[k].kind, line_paint(shapes[k].kind), true)});
    }
  }

  /// Shapes that change: morph targets without normals, so that whoever draws them finds the
  /// normals of each frame.
  void add_surfaces() {
    const std::vector<MovingShape> shapes = drawn_surfaces(model_.system);
    for (size_t k = 0; k < shapes.size(); ++k) {
      const MatX& x = frames_.surfaces[k];
      Eigen::AlignedBox3d box;
      for (Eigen::Index i = 0; i + 2 < x.rows(); i += 3) box.extend(Vec3(x.block<3, 1>(i, 0)));
      const double size = box.diagonal().norm();
      const SoftModes modes = soft_modes(x, kSoftTolerance * size, kMostModes);
      if (modes.error > kSoftTolerance * size)
        notes_.push_back(
            fmt::format("The surface of {} is off by up to {:.2g} m: {} shapes were "
                        "not enough for its motion.",
                        shapes[k].name, modes.error, kMostModes));
      const auto column = [](const auto& of) {
        return std::vector<double>(of.data(), of.data() + of.size());
      };
      Json one = {{"attributes", {{"POSITION", file_.vertices(column(VecX(x.col(0))))}}},
                  {"indices", file_.triangles(shapes[k].triangles)},
                  {"material", material("skin", sinew::paint(kSkinColor), true)}};
      const Eigen::Index count = modes.modes.cols();
      for (Eigen::Index m = 0; m < count; ++m)
        one["targets"].push_back({{"POSITION", file_.vertices(column(VecX(modes.modes.col(m))))}});
      Json mesh = {{"name", shapes[k].name}, {"primitives", Json::array({one})}};
      if (count > 0) mesh["weights"] = std::vector<double>(static_cast<size_t>(count), 0);
      const int node = add_node({{"name", shapes[k].name},
                                 {"mesh", file_.add_mesh(std::move(mesh))},
                                 {"extras", {{"kind", "soft body"}, {"error", modes.error}}}});
      // Weights of one frame after the other: the matrix, column by column.
      if (count > 0) file_.animate(node, "weights", times_, file_.values(column(modes.weights), 1));
    }
  }

  const ExportModel& model_;
  const ExportFrames& frames_;
  std::vector<std::string>& notes_;
  GltfFile file_;
  double size_;
  int root_ = 0, times_ = 0;
};

}  // namespace

Eigen::Quaterniond upright(const Vec3& gravity) {
  if (!(gravity.norm() > 0)) return Eigen::Quaterniond::Identity();
  return Eigen::Quaterniond::FromTwoVectors(-gravity, Vec3::UnitY());
}

std::string gltf_bytes(const ExportModel& model, const ExportFrames& frames,
                       const std::string& element, std::vector<std::string>& notes) {
  return GltfExport(model, frames, notes).bytes(element);
}

}  // namespace sinew
