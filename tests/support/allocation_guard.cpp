#include "support/allocation_guard.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

// Sanitisers bring their own allocator and let one watch it; otherwise the malloc family is
// replaced by functions that count and hand over to glibc. operator new is built on malloc in both
// cases.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SINEW_COUNT_BY_SANITIZER_HOOK
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SINEW_COUNT_BY_SANITIZER_HOOK
#endif
#endif

#if defined(SINEW_COUNT_BY_SANITIZER_HOOK)
// From sanitizer/allocator_interface.h, which g++ does not ship.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));
#elif defined(__GLIBC__)
#define SINEW_COUNT_BY_REPLACING_MALLOC
#endif

namespace sinew::test {
namespace {

// Constant initialisation: malloc runs long before the first constructor.
constinit thread_local std::int64_t allocations = 0;

}  // namespace

AllocationGuard::AllocationGuard() : start_(allocations) {}
std::int64_t AllocationGuard::count() const { return allocations - start_; }

bool AllocationGuard::supported() {
#if defined(SINEW_COUNT_BY_SANITIZER_HOOK) || defined(SINEW_COUNT_BY_REPLACING_MALLOC)
  return true;
#else
  return false;
#endif
}

#if defined(SINEW_COUNT_BY_SANITIZER_HOOK)
namespace {
const int hook_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});
}  // namespace
#endif

}  // namespace sinew::test

#if defined(SINEW_COUNT_BY_REPLACING_MALLOC)

using sinew::test::allocations;

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier)
// glibc's own allocator under the names it exports for this purpose. `free` needs no replacement.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  void* const made = __libc_memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

}  // extern "C"

#endif
