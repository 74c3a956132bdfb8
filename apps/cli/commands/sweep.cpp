#include "sinew/sweep/sweep.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/version.hpp"
#include "sinew/io/tables/whole_file.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/report.hpp"
#include "sinew/sweep/sweep_record.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct SweepCommandOptions {
  std::string study, out, part, keep = "none";
  int threads = 0;
  std::optional<std::int64_t> runs, run;
  bool dry_run = false, fresh = false, table = false, npy = false, report = false, json = false;
};

/// Batch systems announce the end of their patience by SIGUSR1: it counts as SIGTERM.
class PatienceGuard {
 public:
  PatienceGuard() : before_(std::signal(SIGUSR1, [](int) { std::raise(SIGTERM); })) {}
  ~PatienceGuard() { std::signal(SIGUSR1, before_); }
  PatienceGuard(const PatienceGuard&) = delete;
  PatienceGuard& operator=(const PatienceGuard&) = delete;

 private:
  void (*before_)(int);
};

/// "3/10": the third of ten parts, counted from one; or as Slurm numbers the jobs of an array.
std::pair<std::uint64_t, std::uint64_t> part_of(const std::string& text) {
  const auto number = [](const char* name) -> std::optional<long long> {
    const char* const value = std::getenv(name);
    char* end = nullptr;
    const long long out = value ? std::strtoll(value, &end, 10) : 0;
    return value && *value && !*end ? std::optional(out) : std::nullopt;
  };
  if (text.empty()) {
    const auto id = number("SLURM_ARRAY_TASK_ID"), count = number("SLURM_ARRAY_TASK_COUNT"),
               first = number("SLURM_ARRAY_TASK_MIN"), step = number("SLURM_ARRAY_TASK_STEP");
    if (!id || !count) return {0, 1};
    const long long part = (*id - first.value_or(0)) / std::max(1LL, step.value_or(1));
    if (part < 0 || part >= *count)
      throw Error("SLURM_ARRAY_TASK_ID", "is not one of SLURM_ARRAY_TASK_COUNT",
                  "say which part this is: --part 3/10");
    return {static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(*count)};
  }
  unsigned long long part = 0, parts = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%llu/%llu%c", &part, &parts, &rest) != 2 || part < 1 ||
      part > parts || text.find('-') != std::string::npos)
    throw Error("--part", "'" + text + "' is not a part", "give one such as 3/10");
  return {part - 1, parts};
}

/// The program `sinew`, beside this one, with these arguments: what it prints, and how it ended.
struct ChildResult {
  std::string out;
  int status = 0;
};
ChildResult run_child(std::vector<std::string> arguments) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("sinew");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {"", -1};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int code = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ChildResult result;
  char buffer[4096];
  for (ssize_t count; code == 0 && (count = ::read(ends[0], buffer, sizeof buffer)) != 0;)
    if (count > 0) result.out.append(buffer, static_cast<size_t>(count));
  ::close(ends[0]);
  if (code != 0 || ::waitpid(pid, &result.status, 0) < 0) result.status = -1;
  return result;
}

/// A run in a process of its own: if it dies, the row says so.
StudyRow run_alone(const SweepCommandOptions& o, const StudyRunner& runner, std::uint64_t run) {
  std::vector<std::string> arguments = {"sinew", "sweep", o.study, "--run", std::to_string(run),
                                        "--json"};
  if (o.runs) arguments.insert(arguments.end(), {"--runs", std::to_string(*o.runs)});
  const ChildResult child = run_child(arguments);
  const ordered_json row = ordered_json::parse(child.out, nullptr, /*allow_exceptions=*/false);
  if (row.is_object() && row.contains("results")) return row_from(row, runner.study());
  const std::string how =
      WIFSIGNALED(child.status)
          ? fmt::format("the process that computed it died of signal {} ({})",
                        WTERMSIG(child.status), ::strsignal(WTERMSIG(child.status)))
          : fmt::format("the process that computed it ended with {}", WEXITSTATUS(child.status));
  return {.run = run,
          .status = RowStatus::crashed,
          .results = std::vector<double>(runner.study().results.size(), std::nan("")),
          .reason = how};
}

std::string duration_text(double seconds) {
  if (seconds < 1) return "a second";
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// One line that is drawn again and again on a terminal, and written once a minute elsewhere.
class SweepLine {
 public:
  ~SweepLine() {
    if (terminal_ && drawn_) say("\r\033[K");
  }
  void update(const SweepProgress& p) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(60000));
    if (!terminal_ && !drawn_) {
      drawn_ = true;  // nothing is known yet
      return;
    }
    drawn_ = true;
    const double rate = p.seconds > 0 ? static_cast<double>(p.computed) / p.seconds : 0;
    const std::string end =
        rate > 0 ? ", " + duration_text(static_cast<double>(p.count - p.done) / rate) + " left"
                 : "";
    say(fmt::format("{}  {} of {} runs, {} not passed, {:.3g} a second{}{}",
                    terminal_ ? "\r\033[K" : "", p.done, p.count, p.not_passed, rate, end,
                    terminal_ ? "" : "\n"));
  }

 private:
  const bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool drawn_ = false;
  Clock::time_point next_ = Clock::now();
};

std::string shown(const ordered_json& value) {
  return value.is_number() ? fmt::format("{:.5g}", value.get<double>()) : "–";
}

void print_indices(const ordered_json& indices) {
  const auto share = [](const ordered_json& value) {
    return value.is_number() ? fmt::format("{:.3f}", value.get<double>()) : "–";
  };
  const auto interval = [&](const ordered_json& index) {
    return fmt::format("{} to {}", share(index["lower"]), share(index["upper"]));
  };
  fmt::print("    {:<28} {:>7} {:>17} {:>12} {:>17}\n", "share of the variance", "alone", "95 %",
             "with others", "95 %");
  for (const auto& [name, index] : indices["parameters"].items())
    fmt::print("    {:<28} {:>7} {:>17} {:>12} {:>17}\n", name, share(index["first"]["value"]),
               interval(index["first"]), share(index["total"]["value"]), interval(index["total"]));
}

void print_sweep(const StudyRunner& runner, const ordered_json& record) {
  const Study& study = runner.study();
  fmt::print("{}{}{}\n\n", study.name, study.title.empty() ? "" : ": ", study.title);
  const ordered_json& runs = record["runs"];
  fmt::print("  {} runs", runs["count"].get<std::uint64_t>());
  for (const char* status : kRowStatusNames)
    if (const auto count = runs[status].get<std::uint64_t>(); count > 0)
      fmt::print(", {} {}", count, std::string(status) == "audit_failed" ? "audit failed" : status);
  fmt::print("\n");
  for (const auto& [name, result] : record["results"].items()) {
    fmt::print("\n  {}: mean {}, deviation {}, {} to {}\n", name, shown(result["mean"]),
               shown(result["deviation"]), shown(result["least"]), shown(result["largest"]));
    if (result.contains("indices")) {
      print_indices(result["indices"]);
      continue;
    }
    for (const auto& [parameter, value] : result["rank_correlations"].items())
      fmt::print("    {:<28} rank correlation {:>8}\n", parameter, shown(value));
  }
}

int dry_run(const SweepCommandOptions& o, const StudyRunner& runner, int threads) {
  const Study& study = runner.study();
  constexpr std::uint64_t kShown = 10;
  const InterruptGuard interrupt;
  const std::optional<StudyRow> first = runner.run(0, &interrupt.flag());
  if (!first) return kInterrupted;
  const double estimate = first->seconds * static_cast<double>(runner.design().count()) / threads;
  ordered_json points = ordered_json::array();
  for (std::uint64_t run = 0; run < std::min(kShown, runner.design().count()); ++run) {
    ordered_json point = ordered_json::object();
    const std::vector<double> values = runner.design().point(run);
    for (size_t j = 0; j < values.size(); ++j) point[study.parameters[j].name] = values[j];
    points.push_back(std::move(point));
  }
  const ordered_json record = {{"study", study.name},
                               {"runs", runner.design().count()},
                               {"threads", threads},
                               {"estimated_seconds", estimate},
                               {"first_run", describe_row(runner, *first)},
                               {"points", points}};
  if (o.json) {
    fmt::print("{}\n", json_text(record));
    return kOk;
  }
  fmt::print("{}: {} runs, about {} on {} thread{}\n\n", study.name, runner.design().count(),
             duration_text(estimate), threads, threads == 1 ? "" : "s");
  for (size_t k = 0; k < points.size(); ++k) {
    fmt::print("  run {}", k);
    for (const auto& [name, value] : points[k].items())
      fmt::print("  {} = {:.6g}", name, value.get<double>());
    fmt::print("\n");
  }
  if (runner.design().count() > kShown)
    fmt::print("  … and {} more\n", runner.design().count() - kShown);
  fmt::print("\n  run 0 {} in {:.3g} s{}{}\n", name_of(first->status), first->seconds,
             first->reason.empty() ? "" : ": ", first->reason);
  return kOk;
}

int run_one(const SweepCommandOptions& o, const StudyRunner& runner, std::uint64_t run) {
  if (run >= runner.design().count())
    throw Error("--run", fmt::format("the study has runs 0 to {}", runner.design().count() - 1),
                "give one of these");
  const InterruptGuard interrupt;
  const std::optional<StudyRow> row = runner.run(run, &interrupt.flag());
  if (!row) return kInterrupted;
  const ordered_json record = describe_row(runner, *row);
  if (o.json) {
    fmt::print("{}\n", json_text(record));
  } else {
    fmt::print("run {}: {}{}{}\n\n", run, name_of(row->status), row->reason.empty() ? "" : ", ",
               row->reason);
    for (const auto& [name, value] : record["parameters"].items())
      fmt::print("  {:<32} {}\n", name, value.get<double>());
    fmt::print("\n");
    for (const auto& [name, value] : record["results"].items())
      fmt::print("  {:<32} {}\n", name,
                 value.is_number() ? fmt::format("{}", value.get<double>()) : "–");
    fmt::print("\n  {}\n", record["command"].get<std::string>());
  }
  switch (row->status) {
    case RowStatus::passed:
      return kOk;
    case RowStatus::audit_failed:
      return kAuditFailed;
    default:
      return kFailed;
  }
}

ordered_json record_of(const StudyRunner& runner, const ordered_json& summary,
                       const CommandTemplate& sweep, const std::string& status,
                       const std::string& typed) {
  const LogOrigin origin = origin_of(runner);
  ordered_json record = {{"sinew", std::string(version())},
                         {"commit", std::string(commit())},
                         {"study", runner.study().name},
                         {"study_file",
                          {{"path", std::filesystem::absolute(runner.study().path).string()},
                           {"fnv1a", origin.study}}},
                         {"model_fnv1a", origin.model},
                         {"command", typed},
                         {"status", status}};
  record.update(describe_study(runner, sweep));
  record.update(summary);
  return record;
}

/// The command that computes a run alone.
CommandTemplate command_of_one(const SweepCommandOptions& o) {
  CommandTemplate out;
  out.add("sinew sweep " + shell_word(o.study) + " --run ");
  out.add_place(0);
  // A study that has grown has runs which its file does not ask for.
  if (o.runs) out.add(fmt::format(" --runs {}", *o.runs));
  return out;
}

/// That of the worst row.
int code_of(const StudyRows& rows) {
  const std::uint64_t failed =
      rows.with(RowStatus::failed) + rows.with(RowStatus::refused) + rows.with(RowStatus::crashed);
  const std::uint64_t audit = rows.with(RowStatus::audit_failed);
  if (failed + audit == 0) return kOk;
  say(fmt::format("sinew: of {} runs {} failed, and {} failed their audit: see the table\n",
                  rows.count(), failed, audit));
  return failed > 0 ? kFailed : kAuditFailed;
}

int run_sweep(const SweepCommandOptions& o, SweepTeam* team, const std::string& typed) {
  const bool leads = team == nullptr || team->leads();
  if (!leads && (o.run || o.dry_run || o.table)) return kOk;
  Study study = load_study(o.study);
  if (o.runs) {
    const std::string& kind = DesignOptions::names()[static_cast<size_t>(study.design.kind)];
    if (!study.make_design().grows())
      throw Error("--runs", "a study by " + kind + " cannot grow: all of its points would change",
                  "change the study's file, and choose another --out");
    study.design.runs = static_cast<std::uint64_t>(*o.runs);
  }
  const StudyRunner runner(std::move(study));
  if (leads) {
    const LoadedModel model = runner.base().model();
    print_warnings(model.warnings);
    warn_of_start(model);
  }
  // The processes of a team share the cores of their machine.
  const int cores = team ? 1 : static_cast<int>(std::thread::hardware_concurrency());
  const int threads = o.threads > 0 ? o.threads : std::max(1, cores);
  if (o.run) return run_one(o, runner, static_cast<std::uint64_t>(*o.run));
  if (o.dry_run) return dry_run(o, runner, threads);
  if (o.out.empty())
    throw Error("--out", "is missing", "name the folder of the study: it holds all that is known");
  require_no_input("--out", o.out, {runner.study().path.string()});

  const bool shared = team && !o.table;
  if (shared && !o.part.empty())
    throw Error("--part", "is for processes that do not know each other", "leave it out");
  if (o.fresh && leads) clear_sweep(o.out);
  if (shared) team->gather();
  using Keep = SweepOptions::Keep;
  const auto [part, parts] =
      shared ? std::pair<std::uint64_t, std::uint64_t>(0, 1) : part_of(o.part);
  SweepOptions options{.folder = o.out, .threads = threads, .part = part, .parts = parts};
  options.keep = o.keep == "all" ? Keep::all : o.keep == "failed" ? Keep::failed : Keep::none;
  options.alone = [&](std::uint64_t run) { return run_alone(o, runner, run); };
  if (shared)
    options.queue = [&](std::vector<std::uint64_t> runs) {
      return team->queue(std::move(runs), threads);
    };
  options.writes_table = leads;
  const InterruptGuard interrupt;
  const PatienceGuard patience;
  static const std::atomic<bool> kStop{true};
  std::optional<SweepResult> done;
  {
    SweepLine line;
    done.emplace(sweep(
        runner, options,
        [&](const SweepProgress& p) {
          if (leads) line.update(p);
        },
        o.table ? kStop : interrupt.flag()));
  }
  if (!leads) return done->interrupted ? kStopped : kOk;
  if (done->damaged > 0)
    print_warnings(
        {fmt::format("{} damaged lines of the logs in {} were left out", done->damaged, o.out)});
  const std::filesystem::path folder = o.out;
  if (o.npy) write_study_array(folder / "table.npy", runner, done->rows);
  const ordered_json summary = describe_sweep(runner, done->rows);
  const std::uint64_t missing = done->rows.with(RowStatus::missing);
  const bool stopped = done->interrupted && !o.table && missing > 0;
  const ordered_json record = record_of(runner, summary, command_of_one(o),
                                        missing == 0 ? "finished"
                                        : stopped    ? "interrupted"
                                                     : "incomplete",
                                        typed);
  write_whole_file(folder / "run.json", json_text(record) + "\n");
  const bool any = missing < done->rows.count();
  const std::string page = o.report && any ? write_report(folder).string() : "";
  if (o.json) {
    fmt::print("{}\n", json_text(record));
  } else {
    print_sweep(runner, record);
    fmt::print("\n  output  {}\n", (folder / "table.csv").string());
    if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  }
  std::fflush(stdout);
  if (!stopped) return code_of(done->rows);
  say(fmt::format("sinew: stopped with {} runs missing; start the same command again to go on\n",
                  missing));
  return kStopped;
}

}  // namespace

Command add_sweep(CLI::App& program, SweepTeam* team) {
  CLI::App* c = program.add_subcommand(
      "sweep", "Run a study: thousands of variants of a run, on threads or parts of a batch job");
  const auto o = std::make_shared<SweepCommandOptions>();
  c->add_option("study", o->study, "Name of a study (see `sinew scenes`), or a study file")
      ->required();
  c->add_option("--out", o->out,
                "Folder of the study. One that holds some of its runs is gone on with")
      ->check(named());
  c->add_option("--threads", o->threads, "Runs beside each other (default: one for each core)")
      ->check(CLI::Range(1, 1024));
  c->add_option("--runs", o->runs, "Number of runs, or of base points, in place of the study's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000000}));
  c->add_option("--part", o->part,
                "Compute this part of the runs, such as 3/10 (default: as Slurm numbers the jobs "
                "of an array; else all)");
  c->add_option("--run", o->run, "Compute this run alone, and print its command")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--keep", o->keep, "Keep the tables of whole runs: none, failed or all")
      ->check(CLI::IsMember({"none", "failed", "all"}))
      ->capture_default_str();
  c->add_flag("--dry-run", o->dry_run, "Show ten points and how long all may take");
  c->add_flag("--table", o->table, "Only write the table of what is known");
  c->add_flag("--npy", o->npy, "Write table.npy as well");
  add_report_flag(*c, o->report);
  c->add_flag("--fresh", o->fresh, "Forget what the folder holds, and begin anew");
  add_json(*c, o->json);
  c->footer(
      "Examples\n"
      "  sinew sweep ankle-moment --dry-run\n"
      "  sinew sweep ankle-moment --out out/ankle --threads 2 --report\n"
      "  sinew sweep study.json --out out/study --runs 2000\n"
      "  sinew sweep study.json --run 417\n"
      "Exit codes: 0 done, 2 bad input, 3 the disk is full or some runs failed, 4 some runs\n"
      "failed their audit, 5 stopped by a signal: start the same command again to go on.");
  return {c, [o, team](const std::string& typed) { return run_sweep(*o, team, typed); }};
}

}  // namespace sinew::cli
