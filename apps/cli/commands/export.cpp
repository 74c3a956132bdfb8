#include "sinew/export/export.hpp"

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/console.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

struct ExportCommandOptions {
  std::vector<std::string> files;  ///< run and file, or model, motion and file
  std::optional<double> rate;
  bool json = false;
};

void print_export(const ExportRecord& out) {
  fmt::print("{}: {} frames from {:g} to {:g} s, {} bodies", out.file.string(), out.frames,
             out.start, out.end, out.bodies);
  if (out.muscles > 0) fmt::print(", {} muscle{}", out.muscles, out.muscles == 1 ? "" : "s");
  if (out.soft_bodies > 0)
    fmt::print(", {} soft bod{}", out.soft_bodies, out.soft_bodies == 1 ? "y" : "ies");
  fmt::print(", {:.2g} MB\n", 1e-6 * static_cast<double>(out.bytes));
}

int run_export(const ExportCommandOptions& options) {
  ExportRecord out;
  {
    std::optional<ProgressBar> bar;
    const InterruptGuard interrupt;
    const ExportOptions how{options.rate, [&](double t, double end) {
                              if (interrupt.flag()) throw Interrupted();
                              if (!bar) bar.emplace(end);
                              bar->update(t);
                            }};
    const std::vector<std::string>& files = options.files;
    out = files.size() == 2 ? export_run(files[0], files[1], how)
                            : export_motion(files[0], files[1], files[2], how);
  }
  if (options.json) {
    fmt::print("{}\n", json_text({{"file", out.file.string()},
                                  {"format", out.format},
                                  {"bytes", out.bytes},
                                  {"frames", out.frames},
                                  {"start", out.start},
                                  {"end", out.end},
                                  {"bodies", out.bodies},
                                  {"muscles", out.muscles},
                                  {"soft_bodies", out.soft_bodies},
                                  {"warnings", out.warnings}}));
    return kOk;
  }
  print_warnings(out.warnings);
  print_export(out);
  return kOk;
}

}  // namespace

Command add_export(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "export", "Write a run or a motion as glTF or BVH, for Blender, three.js and others");
  const auto o = std::make_shared<ExportCommandOptions>();
  c->add_option("files", o->files,
                "RUN: folder that `simulate` has written (--out). MODEL: an .osim file or a scene. "
                "MOTION: coordinates over time, .mot or .sto. FILE to write: .glb or .bvh")
      ->required()
      ->type_name("RUN FILE | MODEL MOTION FILE")
      ->expected(2, 3)
      ->check(named());
  c->add_option("--rate", o->rate,
                fmt::format("Frames a second ({:g}; short motions in .glb have up to {} frames); "
                            "0: every row, .glb only",
                            kExportRate, kFewestFrames))
      ->check(finite())
      ->check(CLI::Range(0.0, 1e6));
  add_json(*c, o->json);
  c->footer(
      "Examples\n"
      "  sinew simulate finger --out out/finger\n"
      "  sinew export out/finger finger.glb\n"
      "  sinew export out/finger finger.bvh --rate 120\n"
      "  sinew export models/leg/leg.osim models/leg/swing_10kmh.mot swing.glb\n"
      "What is in these files, and how Blender reads them: docs/export.md.");
  return {c, [o](const std::string&) { return run_export(*o); }};
}

}  // namespace sinew::cli
