/* Moves the wall clock of one process, by LD_PRELOAD, for tests: CLOCK_SHIFT names a file of at least
 * 8 bytes whose first 8 are the nanoseconds to add, read at each call. Monotonic clocks stay.
 *
 * libfaketime cannot do it for redis-server: it allocates on its first call, and the allocator of
 * that program (jemalloc) asks for the time on its own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t* shift;

__attribute__((constructor)) static void open_shift(void) {
  const char* path = getenv("CLOCK_SHIFT");
  const int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* mapped = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) shift = mapped;
}

int clock_gettime(clockid_t clock, struct timespec* t) {
  const int result = (int)syscall(SYS_clock_gettime, clock, t);
  if (result != 0 || shift == NULL) return result;
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return 0;
  const int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec + *shift;
  t->tv_sec = ns / 1000000000;
  t->tv_nsec = ns % 1000000000;
  return 0;
}

int gettimeofday(struct timeval* restrict t, void* restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
