// The rows: one for every key of the format, in the order of the long form.
#include "policy/rows.h"

#include <vector>

namespace weir::policy {

namespace {

std::vector<Row> join() {
  std::vector<Row> all;
  for (const std::span<const Row> part :
       {service_rows(), caller_rows(), limit_rows(), outcome_rows()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::span<const Row> rows() {
  static const std::vector<Row> kRows = join();
  return kRows;
}

}  // namespace weir::policy
