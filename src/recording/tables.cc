#include "recording/tables.h"

namespace srvprof {
namespace {

#define SRVPROF_LISTED(Row) , rows::Row
template <class First, class... Rest>
struct Listed {
  using type = std::tuple<Rest...>;
};
using Each = Listed<void SRVPROF_EACH_ROW(SRVPROF_LISTED)>::type;
#undef SRVPROF_LISTED

static_assert(std::is_same_v<Each, rows::All>, "SRVPROF_EACH_ROW and rows::All differ");

template <std::size_t... I>
constexpr bool numbers_follow(std::index_sequence<I...>) {
  return ((table_index(std::tuple_element_t<I, rows::All>::kTable) == I) && ...);
}
static_assert(numbers_follow(std::make_index_sequence<kTableCount>{}),
              "rows::All is not in the order of the table numbers");

}  // namespace
}  // namespace srvprof
