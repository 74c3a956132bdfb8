#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/console.hpp"
#include "sinew/analysis/fit/axis_functions.hpp"
#include "sinew/analysis/fit/curve_functions.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/fit/bone_poses.hpp"
#include "sinew/io/fit/fit_scene.hpp"
#include "sinew/io/fit/joint_writer.hpp"
#include "sinew/io/fit/model_joint.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/tables/whole_file.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kDegree = std::numbers::pi / 180;

struct FitJointOptions {
  std::string source;
  std::string joint;                       ///< of a model
  std::vector<std::string> parent, child;  ///< markers
  std::string type = "auto";
  CurveFitOptions curve;
  std::vector<int> grid = {6, 6};
  std::string smooth = "0";
  bool find_q = false, closed = false, millimetres = false;
  double length = 0.05;
  std::vector<double> point = {0, 0, 0}, points, range;
  std::string mesh, out, show, motion;
  int samples = 200;
  bool json = false;
  std::vector<std::string> given;  ///< of the options that not every type of joint has
};

constexpr std::array kCurveOptions = {"--closed", "--frames", "--tolerance"};

PoseMetric metric_of(const FitJointOptions& o) {
  if (!o.mesh.empty()) return PoseMetric::OfPoints(read_mesh_file(o.mesh).vertices);
  if (!o.points.empty()) {
    if (o.points.size() % 3 != 0)
      throw Error("--points", "has " + std::to_string(o.points.size()) + " numbers",
                  "give three for each point: X,Y,Z X,Y,Z X,Y,Z");
    std::vector<Vec3> points;
    for (size_t k = 0; k < o.points.size(); k += 3)
      points.emplace_back(o.points[k], o.points[k + 1], o.points[k + 2]);
    return PoseMetric::OfPoints(points);
  }
  return PoseMetric::AtPoint(Vec3(o.point[0], o.point[1], o.point[2]), o.length);
}

bool is_model(const FitJointOptions& o) { return !o.joint.empty(); }

/// Whether the rows of poses, whose q is to be found along a curve, seem to be in another order
/// than along it: more than a quarter of them have their nearest pose far off in the table.
bool out_of_order(const BonePoses& data, const PoseMetric& metric) {
  const size_t n = data.poses.size(), far = std::max<size_t>(3, n / 8);
  constexpr size_t kFewest = 8, kMost = 2000;
  if (n < kFewest || n > kMost) return false;
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    double least = std::numeric_limits<double>::infinity();
    size_t nearest = i;
    for (size_t j = 0; j < n; ++j) {
      const double d = j == i ? least : metric.distance(data.poses[i], data.poses[j]);
      // Of equal poses, those next to it.
      if (d < least || (d == least && (j + 1 == i || i + 1 == j))) least = d, nearest = j;
    }
    const size_t apart = nearest > i ? nearest - i : i - nearest;
    count += std::min(apart, n - apart) > far;  // the last row of a loop is beside the first
  }
  return 4 * count > n;
}

/// The first row at which a q that grew falls, or the other way round; 0: none.
int turning_row(const BonePoses& data) {
  double direction = 0;
  for (Eigen::Index k = 1; k < data.q.cols(); ++k) {
    const double step = data.q(0, k) - data.q(0, k - 1);
    if (step * direction < 0) return data.rows[static_cast<size_t>(k)];
    if (step != 0) direction = step;
  }
  return 0;
}

void warn_of_order(const FitJointOptions& o, const BonePoses& data,
                   const JointFitOptions& options) {
  const bool found = o.find_q || data.q.size() == 0;
  if (!found || (options.type != FittedType::automatic && options.type != FittedType::curve))
    return;
  if (const int row = data.q.rows() == 1 && !o.closed ? turning_row(data) : 0; row > 0)
    print_warnings(
        {fmt::format("row {} goes back in q: to find q along a curve, rows must be in "
                     "order along it",
                     row)});
  else if (out_of_order(data, options.curve.metric))
    print_warnings(
        {"the rows seem to be out of order: to find q along a curve, rows must be in "
         "order along it"});
}

/// Suspicious data that can still be meant so. What is not finite cannot: the fit refuses it.
/// Returns whether positions seem to be in millimetres.
bool warn_of(const BonePoses& data) {
  print_warnings(data.warnings);
  double farthest = 0;
  for (const Pose& pose : data.poses) farthest = std::max(farthest, pose.p.norm());
  const bool far = std::isfinite(farthest) && farthest > 5;
  if (far)
    print_warnings(
        {fmt::format("the bones are up to {:.4g} m apart: if that is millimetres, give "
                     "--millimetres",
                     farthest)});
  std::map<std::vector<double>, int> seen;
  std::string first;
  int repeated = 0;
  for (Eigen::Index k = 0; k < data.q.cols(); ++k) {
    const VecX column = data.q.col(k);
    if (!column.allFinite()) continue;
    const std::vector<double> q(column.begin(), column.end());
    const int row = data.rows[static_cast<size_t>(k)];
    const auto [at, added] = seen.emplace(q, row);
    if (!added && ++repeated == 1)
      first =
          fmt::format("rows {} and {} have the same q = {:g}", at->second, row, fmt::join(q, ", "));
  }
  if (repeated > 1) first += fmt::format(", and {} more rows that of another", repeated - 1);
  // Where all are the same, the fit refuses.
  if (repeated > 0 && seen.size() > 1) print_warnings({first + ": the joint passes between them"});
  return far;
}

BonePoses read_measured(const FitJointOptions& o) {
  if (is_model(o)) {
    std::optional<std::pair<double, double>> range;
    if (!o.range.empty()) range.emplace(o.range[0], o.range[1]);
    return poses_of_model_joint(o.source, o.joint, range, o.samples);
  }
  if (o.source.ends_with(".osim") || o.source.ends_with(".json"))
    throw Error(o.source, "is a model", "name one of its joints: --joint NAME");
  const bool markers = o.source.ends_with(".trc");
  if (markers && (o.parent.empty() || o.child.empty()))
    throw Error(o.source, "has markers of several bones",
                "name those of the two bones: --parent A,B,C --child D,E,F");
  if (!markers && !(o.parent.empty() && o.child.empty()))
    throw Error(o.source, "has no markers", "give --parent and --child with a .trc file only");
  BonePoses data =
      markers ? read_marker_poses(o.source, o.parent, o.child) : read_pose_table(o.source);
  if (o.millimetres)
    for (Pose& pose : data.poses) pose.p /= 1000;
  return data;
}

FittedType type_named(const std::string& name) {
  for (const FittedType type :
       {FittedType::hinge, FittedType::universal, FittedType::curve, FittedType::surface})
    if (name == name_of(type)) return type;
  return FittedType::automatic;
}

/// Throws an Error for an option that says nothing about the type that is fitted.
void refuse_idle_options(const FitJointOptions& o, FittedType type, bool surface) {
  const bool frames = type == FittedType::hinge || type == FittedType::universal;
  const std::string what = frames ? name_of(type) : surface ? "surface" : "curve";
  const auto refuse = [&](const char* option, const char* remedy) {
    if (std::find(o.given.begin(), o.given.end(), option) != o.given.end())
      throw Error(option, "does nothing for a " + what, remedy);
  };
  if (frames || surface)
    for (const char* option : kCurveOptions)
      refuse(option, "leave it out, or ask for --type curve");
  if (frames) refuse("--smooth", "leave it out, or ask for --type curve or surface");
  if (!surface) refuse("--grid", "leave it out, or ask for --type surface");
  if (surface && o.smooth == "auto")
    throw Error("--smooth", "auto is for curves", "give a surface a number, such as 1e-6");
  if (surface && o.curve.robust)
    throw Error("--robust", "does nothing for a surface",
                "leave it out, and out of the table what lies far off");
}

JointFitOptions fit_options(const FitJointOptions& o, const BonePoses& data) {
  JointFitOptions out{.type = type_named(o.type),
                      .curve = o.curve,
                      .surface = {},
                      .E_PJ = data.E_PJ,
                      .E_JB = data.E_JB};
  out.curve.metric = metric_of(o);
  out.curve.ends = o.closed ? SplineEnds::cyclic : SplineEnds::open;
  if (o.smooth == "auto") {
    out.curve.smoothing = std::nullopt;
  } else {
    try {
      size_t read = 0;
      out.curve.smoothing = std::stod(o.smooth, &read);
      if (read != o.smooth.size()) throw std::invalid_argument("");
    } catch (const std::exception&) {
      throw Error("--smooth", "'" + o.smooth + "' is neither a number nor auto",
                  "give 0 or more, or auto");
    }
  }
  out.surface.control_values = {o.grid[0], o.grid[1]};
  out.surface.smoothing = out.curve.smoothing.value_or(0);
  // A model's joint is exact: a hundredth of a millimetre is as good as it.
  if (is_model(o) && out.curve.frames == 0 && out.curve.tolerance == 0) out.curve.tolerance = 1e-5;
  return out;
}

double root_mean_square(const VecX& x) {
  return std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
}

/// The 95 % band of a curve over its range.
ordered_json describe_band(const CurveFit& fit) {
  constexpr int kValues = 21;
  const CubicBSpline& spline = fit.curve.spline();
  ordered_json q = ordered_json::array(), angle = q, displacement = q;
  for (int k = 0; k < kValues; ++k) {
    q.push_back(spline.begin() + (spline.end() - spline.begin()) * k / (kValues - 1));
    const CurveFit::Band band = fit.band_at(q.back());
    angle.push_back(band.angle);
    displacement.push_back(band.displacement);
  }
  return {{"q", q}, {"angle", angle}, {"displacement", displacement}};
}

ordered_json describe_fit(const JointFit& fit, const BonePoses& data) {
  Eigen::Index worst = 0;
  fit.distances.maxCoeff(&worst);
  ordered_json candidates = ordered_json::array();
  for (const FittedCandidate& c : fit.candidates)
    candidates.push_back(c.problem.empty()
                             ? ordered_json{{"type", name_of(c.type)},
                                            {"rms", c.rms},
                                            {"largest", c.largest},
                                            {"bic", c.bic}}
                             : ordered_json{{"type", name_of(c.type)}, {"problem", c.problem}});
  ordered_json ignored = ordered_json::array();
  for (Eigen::Index k = 0; k < fit.weights.size(); ++k)
    if (fit.weights[k] == 0) ignored.push_back(data.rows[static_cast<size_t>(k)]);
  ordered_json out = {{"type", name_of(fit.type)},
                      {"poses", fit.distances.size()},
                      {"rms", root_mean_square(fit.distances)},
                      {"largest", fit.distances[worst]},
                      {"largest_row", data.rows[static_cast<size_t>(worst)]},
                      {"rms_angle", root_mean_square(fit.angles)},
                      {"largest_angle", fit.angles.maxCoeff()},
                      {"rms_displacement", root_mean_square(fit.displacements)},
                      {"largest_displacement", fit.displacements.maxCoeff()},
                      {"ignored_rows", ignored},
                      {"candidates", candidates}};
  if (fit.curve) {
    const CurveFit& curve = *fit.curve;
    out["curve"] = {{"frames", curve.curve.frames().size()},
                    {"begin", curve.curve.spline().begin()},
                    {"end", curve.curve.spline().end()},
                    {"smoothing", curve.smoothing},
                    {"iterations", curve.iterations},
                    {"converged", curve.converged},
                    {"deviation", curve.deviation},
                    {"least_speed", fit.shape->least_speed},
                    {"largest_speed", fit.shape->largest_speed},
                    {"largest_bend", fit.shape->largest_bend}};
    if (std::isfinite(curve.deviation)) out["curve"]["band"] = describe_band(curve);
  }
  if (fit.surface) {
    const SurfaceFit& surface = *fit.surface;
    const auto& splines = surface.surface.splines();
    out["surface"] = {
        {"control_values", {splines[0].control_values(), splines[1].control_values()}},
        {"range", {{splines[0].begin(), splines[0].end()}, {splines[1].begin(), splines[1].end()}}},
        {"iterations", surface.iterations},
        {"converged", surface.converged},
        {"least_speed", fit.shape->least_speed},
        {"largest_speed", fit.shape->largest_speed},
        {"largest_bend", fit.shape->largest_bend}};
  }
  return out;
}

void print_fit(const FitJointOptions& o, const ordered_json& r) {
  const auto mm = [&](const char* key) { return 1e3 * r[key].get<double>(); };
  const auto degrees = [&](const char* key) { return r[key].get<double>() / kDegree; };
  fmt::print("{}: {} poses, {}\n\n", o.source, r["poses"].get<int>(), r["type"].get<std::string>());
  fmt::print("  {:<24} {:>12} {:>12}\n", "", "rms", "largest");
  fmt::print("  {:<24} {:>12.5g} {:>12.5g}   in row {}\n", "distance [mm]", mm("rms"),
             mm("largest"), r["largest_row"].get<int>());
  fmt::print("  {:<24} {:>12.5g} {:>12.5g}\n", "rotation [degrees]", degrees("rms_angle"),
             degrees("largest_angle"));
  fmt::print("  {:<24} {:>12.5g} {:>12.5g}\n\n", "displacement [mm]", mm("rms_displacement"),
             mm("largest_displacement"));
  if (r.contains("curve")) {
    const ordered_json& c = r["curve"];
    fmt::print("  {} control frames over q = {:.6g} to {:.6g}, {} iterations{}\n",
               c["frames"].get<int>(), c["begin"].get<double>(), c["end"].get<double>(),
               c["iterations"].get<int>(), c["converged"].get<bool>() ? "" : ", not converged");
    fmt::print("  |S| from {:.4g} to {:.4g} m, |S′| up to {:.4g} m per unit of q\n",
               c["least_speed"].get<double>(), c["largest_speed"].get<double>(),
               c["largest_bend"].get<double>());
    if (c.contains("band")) {
      const auto range = [&](const char* key, double unit) {
        const auto values = c["band"][key].get<std::vector<double>>();
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        return fmt::format("±{:.3g} to {:.3g}", *low / unit, *high / unit);
      };
      fmt::print("  95 % band: {} degrees, {} mm\n", range("angle", kDegree),
                 range("displacement", 1e-3));
    }
    if (c["smoothing"].get<double>() > 0)
      fmt::print("  smoothing {:.3g}\n", c["smoothing"].get<double>());
  }
  if (r.contains("surface")) {
    const ordered_json& s = r["surface"];
    fmt::print("  {} by {} control values over q1 = {:.6g} to {:.6g}, q2 = {:.6g} to {:.6g}\n",
               s["control_values"][0].get<int>(), s["control_values"][1].get<int>(),
               s["range"][0][0].get<double>(), s["range"][0][1].get<double>(),
               s["range"][1][0].get<double>(), s["range"][1][1].get<double>());
    fmt::print(
        "  {} iterations{}; the body moves {:.4g} to {:.4g} m over a range, |S′| up to "
        "{:.4g} m\n",
        s["iterations"].get<int>(), s["converged"].get<bool>() ? "" : ", not converged",
        s["least_speed"].get<double>(), s["largest_speed"].get<double>(),
        s["largest_bend"].get<double>());
  }
  if (!r["ignored_rows"].empty())
    fmt::print("  rows far off the others, not used: {}\n",
               fmt::join(r["ignored_rows"].get<std::vector<int>>(), ", "));
  if (r["candidates"].size() < 2) return;
  fmt::print("  {:<12} {:>14} {:>12}\n", "type", "rms [mm]", "BIC");
  for (const ordered_json& c : r["candidates"])
    if (c.contains("problem"))
      fmt::print("  {:<12} {}\n", c["type"].get<std::string>(), c["problem"].get<std::string>());
    else
      fmt::print("  {:<12} {:>14.5g} {:>12.5g}\n", c["type"].get<std::string>(),
                 1e3 * c["rms"].get<double>(), c["bic"].get<double>());
  fmt::print("  {}\n", r["type"] == "hinge" ? "A hinge is enough." : "A hinge is not enough.");
}

/// The joint as OpenSim has it, with the names of the model or of the table.
CustomJoint custom_joint(const FitJointOptions& o, const BonePoses& data, const JointFit& fit) {
  const bool one = fit.q.rows() == 1;
  JointNames names{"parent", "child",
                   one ? std::vector<std::string>{"q"} : std::vector<std::string>{"q1", "q2"}};
  if (is_model(o)) names = names_of_joint(o.source, o.joint);
  if (fit.curve) {
    // The coordinate of a CustomJoint is an angle; that of a curve along which q is found a length.
    if (o.find_q || data.q.size() == 0)
      throw Error("--out", "q is found as a length, where a CustomJoint has an angle",
                  is_model(o) ? "leave out --find-q, or write to a .json file"
                              : "give the table a column q [rad], or write to a .json file");
    const int points = std::max(100, 8 * static_cast<int>(fit.curve->curve.frames().size()));
    return {function_joint_of(fit.curve->curve, CoordinateKind::angle, points), names.coordinates};
  }
  if (o.find_q && is_model(o))
    throw Error("--find-q", "finds other values than the coordinates of the model have",
                "leave it out, or write to a .json file");
  const AxisFunctions axes = axis_functions(fit, o.find_q ? MatX() : data.q);
  if (axes.deviation > kDegree)
    print_warnings({fmt::format("the angles of the {} are up to {:.2g} degrees off a line over q",
                                name_of(fit.type), axes.deviation / kDegree)});
  return {axes.joint, names.coordinates,
          CustomJoint::Places{names.parent, names.child, fit.E_PJ, fit.E_JB.inverse()}};
}

/// Writes the joint, and adds what it changes of the model.
void write_joint(const FitJointOptions& o, const BonePoses& data, const JointFit& fit,
                 ordered_json& record) {
  const std::string ending = std::filesystem::path(o.out).extension().string();
  if (!o.motion.empty() && ending != ".osim")
    throw Error("--motion", "compares the model with the one that is written",
                "write it: --out MODEL.osim");
  if (ending == ".json") {
    write_whole_file(o.out, scene_joint(fit) + "\n");
    return;
  }
  if (ending != ".xml" && ending != ".osim")
    throw Error(
        "--out", "'" + o.out + "' has no ending that says what to write",
        "end it in .json (a scene's joint), .xml (a SpatialTransform) or .osim (the model)");
  if (fit.surface)
    throw Error("--out",
                "a surface cannot become a CustomJoint: OpenSim's splines are of one coordinate",
                "write it to a .json file, or ask for --type curve");
  if (ending == ".xml") {
    write_whole_file(o.out, joint_element(custom_joint(o, data, fit)) + "\n");
    return;
  }
  if (!o.source.ends_with(".osim") || !is_model(o))
    throw Error("--out", "an .osim file is a copy of the model the joint is from",
                "give a model and --joint, or write a .xml file");
  write_changed_osim(o.source, o.out, o.joint, custom_joint(o, data, fit));
  const JointChange change = compare_joint(o.source, o.out, o.joint, o.motion);
  print_warnings(change.warnings);
  record["changes"] = {{"largest_moment_arm", change.moment_arm}, {"muscle", change.muscle}};
  if (!o.motion.empty())
    record["changes"].update(
        {{"largest_moment", change.moment}, {"coordinate", change.coordinate}});
}

/// What may help a fit that did not converge.
const char* remedy(const FitJointOptions& o, const JointFit& fit) {
  if (fit.surface) return "give a coarser --grid, or --smooth 1e-6";
  return o.smooth == "0" ? "give fewer --frames, or --smooth auto" : "give fewer --frames";
}

int run_fit_joint(const FitJointOptions& o) {
  const std::vector<std::string> inputs = {o.source, o.mesh, o.motion};
  require_no_input("--out", o.out, inputs);
  require_no_input("--show", o.show, inputs);
  if (!o.out.empty() &&
      std::filesystem::weakly_canonical(o.out) == std::filesystem::weakly_canonical(o.show))
    throw Error("--show", "names the same file as --out", "name another one");
  const BonePoses data = read_measured(o);
  const bool warned_of_millimetres = warn_of(data);
  const MatX q = o.find_q ? MatX() : data.q;
  const JointFitOptions options = fit_options(o, data);
  refuse_idle_options(o, options.type,
                      options.type == FittedType::surface ||
                          (options.type == FittedType::automatic && q.rows() == 2));
  warn_of_order(o, data, options);
  const JointFit fit = fit_joint(data.poses, q, options);
  ordered_json record = {{"source", o.source}};
  record.update(describe_fit(fit, data));
  const InterruptGuard writing;
  if (!o.out.empty()) write_joint(o, data, fit, record);
  if (!o.show.empty()) write_whole_file(o.show, fit_scene(fit, data.poses) + "\n");
  if (o.json) {
    record["joint"] = ordered_json::parse(scene_joint(fit));
    fmt::print("{}\n", json_text(record));
  } else {
    print_fit(o, record);
    if (record.contains("changes")) {
      const ordered_json& c = record["changes"];
      if (!c["muscle"].get<std::string>().empty())
        fmt::print("\n  moment arms change by up to {:.3g} mm ({})\n",
                   1e3 * c["largest_moment_arm"].get<double>(), c["muscle"].get<std::string>());
      if (c.contains("largest_moment"))
        fmt::print("  moments of the motion change by up to {:.3g} N m ({})\n",
                   c["largest_moment"].get<double>(), c["coordinate"].get<std::string>());
    }
    if (!o.out.empty()) fmt::print("\n  output  {}\n", o.out);
    if (!o.show.empty()) fmt::print("\n  picture  sinew view {}\n", o.show);
  }
  const bool converged =
      (!fit.curve || fit.curve->converged) && (!fit.surface || fit.surface->converged);
  std::fflush(stdout);
  // Where positions are a thousand times too large, that is the reason, and said.
  if (!converged && !warned_of_millimetres)
    say(fmt::format("sinew: the fit did not converge: {}\n", remedy(o, fit)));
  return converged ? kOk : kFailed;
}

}  // namespace

Command add_fit_joint(CLI::App& program) {
  CLI::App* c = program.add_subcommand("fit-joint", "A joint from measured poses of two bones");
  const auto o = std::make_shared<FitJointOptions>();
  c->add_option("source", o->source,
                "Table of poses (.sto, .mot, .csv), markers (.trc), or a model with --joint")
      ->required();
  c->add_option("--joint", o->joint, "Joint of the model, with one coordinate or two");
  c->add_option("--range", o->range, "Range of the model's coordinates (default: their own)")
      ->expected(2)
      ->check(finite())
      ->needs("--joint");
  c->add_option("--samples", o->samples, "Poses of the model's joint")
      ->check(CLI::Range(4, 100000))
      ->needs("--joint")
      ->capture_default_str();
  c->add_option("--parent", o->parent, "Markers of the parent bone, three or more")->delimiter(',');
  c->add_option("--child", o->child, "Markers of the child bone")->delimiter(',');
  c->add_option("--type", o->type, "auto, hinge, universal, curve or surface")
      ->check(CLI::IsMember({"auto", "hinge", "universal", "curve", "surface"}))
      ->capture_default_str();
  c->add_option("--frames", o->curve.frames,
                "Control frames of a curve (default: as many as the poses ask for)")
      ->check(CLI::Range(4, 1000));
  c->add_option("--grid", o->grid, "Control values of a surface along q1 and q2")
      ->expected(2)
      ->check(CLI::Range(4, 30))
      ->capture_default_str();
  c->add_option("--tolerance", o->curve.tolerance,
                "Take the fewest frames with which no pose is further off [m]")
      ->check(positive())
      ->excludes("--frames");
  c->add_option("--smooth", o->smooth, "Weight of the smoothing, or auto: by cross-validation")
      ->capture_default_str();
  c->add_flag("--robust", o->curve.robust, "Ignore poses far off the others");
  c->add_flag("--find-q", o->find_q,
              "Find the coordinates of each pose, also where the table has them");
  c->add_flag("--closed", o->closed, "The curve is a loop");
  c->add_option("--period", o->curve.period, "Growth of q in one turn of a loop")
      ->check(positive())
      ->needs("--closed");
  c->add_option("--length", o->length, "Length that a radian counts as [m]")
      ->check(positive())
      ->capture_default_str();
  c->add_option("--point", o->point, "Point of the child whose displacement counts [m]")
      ->expected(3)
      ->check(finite());
  c->add_option("--mesh", o->mesh, "Count the displacements of this mesh of the child instead")
      ->excludes("--length")
      ->excludes("--point");
  c->add_option("--points", o->points,
                "Count the displacements of these points of the child instead, X,Y,Z each [m]")
      ->expected(3, 3000)
      ->delimiter(',')
      ->check(finite())
      ->excludes("--length")
      ->excludes("--point")
      ->excludes("--mesh");
  c->add_flag("--millimetres", o->millimetres, "Positions in the table are millimetres");
  c->add_option("--out", o->out,
                "Write a scene's joint (.json), a part of a CustomJoint (.xml) or the model with "
                "the joint (.osim)")
      ->check(named());
  c->add_option("--show", o->show,
                "Write a scene (.json) with the joint, the measured poses and what is left of them")
      ->check(named());
  c->add_option("--motion", o->motion, "Compare moments along this motion, with --out MODEL.osim")
      ->needs("--out");
  add_json(*c, o->json);
  c->footer(
      "Examples\n"
      "  sinew fit-joint knee_poses.csv --frames 24 --smooth auto --robust --out knee.json\n"
      "  sinew fit-joint knee_poses.csv --show fit.json && sinew view fit.json\n"
      "  sinew fit-joint trial.trc --parent RTH1,RTH2,RTH3 --child RSH1,RSH2,RSH3 --type auto\n"
      "  sinew fit-joint Rajagopal2016.osim --joint walker_knee_r --type curve --out spline.osim");
  return {c, [o, c](const std::string&) {
            for (const char* option : {"--closed", "--frames", "--tolerance", "--smooth", "--grid"})
              if (c->count(option) > 0) o->given.emplace_back(option);
            return run_fit_joint(*o);
          }};
}

}  // namespace sinew::cli
