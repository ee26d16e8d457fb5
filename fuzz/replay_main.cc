// A plain main for a fuzz target: runs it once on each file given, and on each file of each
// directory given. It keeps the targets building and their corpora true without libFuzzer.
//
//   policy_fuzz fuzz/corpus/policy     prints how many inputs ran; exit 1 if there were none
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
         it.increment(error)) {
      if (it->is_regular_file(error)) files.push_back(it->path());
    }
  } else if (fs::is_regular_file(path, error)) {
    files.push_back(path);
  } else {
    std::fprintf(stderr, "%s: no such file or directory\n", path.c_str());
    return false;
  }
  if (error) std::fprintf(stderr, "%s: %s\n", path.c_str(), error.message().c_str());
  return !error;
}

bool replay(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  // An exact heap copy: a read past its end is one that AddressSanitizer sees.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!collect(argv[i], files)) return 1;
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    if (!replay(file)) return 1;
  }
  std::printf("%zu inputs\n", files.size());
  if (files.empty()) std::fprintf(stderr, "no input to replay\n");
  return files.empty() ? 1 : 0;
}
