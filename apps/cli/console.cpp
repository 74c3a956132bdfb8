#include "console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>

#include "cli/commands/commands.hpp"

namespace sinew::cli {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<int> g_guards{0};
std::atomic<long long> g_first{0};  // the time of the first signal [ms]
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<long long>::is_always_lock_free,
              "a signal handler may use them");

/// The signals of a user, a batch system and a closed terminal.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// `timeout` and batch systems signal a process and its group: two signals at once are one.
constexpr long long kSameSignal = 300;  // [ms]

long long milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1000LL * now.tv_sec + now.tv_nsec / 1000000;
}

/// Calls only what a signal handler may call.
void on_signal(int) {
  const bool again = g_interrupted.exchange(true);
  if (!again) g_first = milliseconds();
  if (again ? milliseconds() - g_first < kSameSignal : g_guards > 0) return;
  constexpr std::string_view kLine = "sinew: interrupted\n";
  (void)!::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(kInterrupted);
}

}  // namespace

void answer_signals() {
  for (const int signal : kSignals)
    // A signal that the caller ignores, as `nohup` does, stays ignored.
    if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

int code_after_signals(int code) {
  if (!g_interrupted || code != kOk) return code;
  say("sinew: interrupted, but the work was done: the results are whole\n");
  return kInterrupted;
}

InterruptGuard::InterruptGuard() { ++g_guards; }

InterruptGuard::~InterruptGuard() { --g_guards; }

const std::atomic<bool>& InterruptGuard::flag() const { return g_interrupted; }

void InterruptGuard::expected() { g_interrupted = false; }

ProgressBar::ProgressBar(double end)
    : end_(end), visible_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(double t) {
  if (!visible_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  constexpr int kWidth = 40;
  const double part = std::clamp(t / end_, 0.0, 1.0);
  const int full = static_cast<int>(part * kWidth);
  say(fmt::format("\r  [{:#<{}}{:<{}}] {:3.0f} %  t = {:.3f} s ", "", full, "", kWidth - full,
                  100 * part, t));
}

void ProgressBar::clear() {
  if (visible_) say("\r\033[K");
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    say(fmt::format("sinew: warning: {}\n", one_line(warning)));
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text;
}

std::string wrapped(std::string_view text) {
  constexpr size_t kWidth = 100;
  std::string out;
  while (!text.empty()) {
    size_t length = text.size();
    if (length > kWidth - 2) {
      length = text.rfind(' ', kWidth - 2);
      if (length == std::string_view::npos || length == 0)
        length = std::min(text.find(' '), text.size());
    }
    out.append("  ").append(text.substr(0, length)).append("\n");
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return out;
}

void print_more(size_t count) {
  if (count > kRowsShown) fmt::print("    … and {} more\n", count - kRowsShown);
}

}  // namespace sinew::cli
