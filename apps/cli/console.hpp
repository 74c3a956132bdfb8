#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::cli {

/// From here on Ctrl-C, SIGTERM and SIGHUP end the program with one line and the exit code 130,
/// unless a guard is alive.
void answer_signals();
/// The exit code of a command that ended with `code`: 130 if it is done, but a signal came.
int code_after_signals(int code);

/// While one is alive, those signals only set a flag: what computes looks at it, and what writes
/// goes on to its end. Another signal, a moment later, ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& flag() const;
  /// The signal that came is the way to end this command.
  void expected();
};

/// Thrown where a guard is alive and there is nothing to keep.
struct Interrupted {};

/// A bar on standard error, if that is a terminal; otherwise nothing. Redrawn a few times a second.
class ProgressBar {
 public:
  explicit ProgressBar(double end);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `t` out of `end`.
  void update(double t);

 private:
  void clear();

  double end_;
  bool visible_;
  std::chrono::steady_clock::time_point next_;
};

/// Writes to standard error. Text that cannot be written there is lost: there is no other way to
/// report it.
void say(const std::string& text);

/// Prints them on the error stream.
void print_warnings(const std::vector<std::string>& warnings);

/// Rows of a list that `sinew info` shows, and the line with the number of rows not shown.
inline constexpr size_t kRowsShown = 24;
void print_more(size_t count);

/// Text without line ends and other control characters, so that a message stays one line.
std::string one_line(std::string text);

/// Text broken between words into lines of at most 100 columns, each indented by two.
std::string wrapped(std::string_view text);

}  // namespace sinew::cli
