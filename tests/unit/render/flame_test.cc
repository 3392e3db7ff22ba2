#include <gtest/gtest.h>

#include "render/all.h"
#include "render/flame_layout.h"
#include "render/flamegraph.h"
#include "sample.h"

namespace srvprof {
namespace {

std::string rendered(std::string_view format, const std::vector<FlameData>& flames) {
  const Report report = sample::report();
  return render_to_string(*find_format(format), Document{nullptr, &report, flames});
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(FlameLayout, MergesStacksAndKeepsSums) {
  const FlameLayout layout = lay_out(sample::flame(), 0);
  ASSERT_EQ(layout.boxes.size(), 5u);
  EXPECT_DOUBLE_EQ(layout.total, 109.501);
  EXPECT_DOUBLE_EQ(layout.baseline_total, 60);
  EXPECT_EQ(layout.depth, 2u);
  EXPECT_EQ(layout.left_out, 0u);
  EXPECT_DOUBLE_EQ(layout.boxes[1].weight, 109.501);  // main
  double children = 0;
  for (const FlameBox& box : layout.boxes) {
    if (box.depth == 2) children += box.weight;
    EXPECT_GE(box.start, 0);
    EXPECT_LE(box.start + box.weight, layout.total + 1e-9);
  }
  EXPECT_DOUBLE_EQ(children, 99.501);
}

TEST(FlameLayout, LeavesOutWhatIsTooNarrowAndCountsIt) {
  const FlameLayout layout = lay_out(sample::flame(), 0.01);
  EXPECT_EQ(layout.boxes.size(), 4u);
  EXPECT_EQ(layout.left_out, 1u);
}

TEST(FlameLayout, SiblingsDoNotOverlap) {
  const FlameLayout layout = lay_out(sample::flame(), 0);
  double end = 0;
  for (const FlameBox& box : layout.boxes) {
    if (box.depth != 2) continue;
    EXPECT_GE(box.start, end - 1e-9);
    end = box.start + box.weight;
  }
}

TEST(FlameLayout, NothingGivesNothing) {
  EXPECT_TRUE(lay_out(FlameData{}, 0).boxes.empty());
  EXPECT_NE(flame_svg(FlameData{}, "fg").find("nothing was recorded"), std::string::npos);
}

TEST(Flamegraph, HostileNamesStayText) {
  const std::string svg = rendered("flamegraph", {sample::flame()});
  EXPECT_EQ(count(svg, "<script"), 1u);  // ours
  EXPECT_EQ(count(svg, "]]>"), 1u);
  EXPECT_EQ(svg.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;alert(1)"), std::string::npos);
  for (char c : svg) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(svg.find("\xef\xbf\xbf"), std::string::npos);
}

TEST(Flamegraph, LoadsNothing) {
  const std::string svg = rendered("flamegraph", {sample::flame()});
  for (const char* what :
       {"xlink:href", " href=", " src=", "@import", "url(", "fetch(", "XMLHttp"}) {
    EXPECT_EQ(svg.find(what), std::string::npos) << what;
  }
  // Names of namespaces are the only addresses.
  EXPECT_EQ(count(svg, "http"), count(svg, "http://www.w3.org/"));
}

TEST(Flamegraph, DifferentialIsRedAndBlue) {
  FlameData flame = sample::flame();
  flame.differential = true;
  const std::string svg = flame_svg(flame, "fg");
  // hash: 55 % of the tail, 17 % of the body; light: 36 % against 67 %.
  const std::size_t hash = svg.find("<title>hash"), light = svg.find("<title>light;frame");
  ASSERT_NE(hash, std::string::npos);
  ASSERT_NE(light, std::string::npos);
  EXPECT_EQ(svg.substr(svg.find("fill=\"#", hash) + 7, 2), "fa");
  EXPECT_EQ(svg.substr(svg.find("fill=\"#", light) + 11, 2), "fa");
}

TEST(Folded, HasOneLineAStackAndNoSeparatorInNames) {
  const std::string folded = rendered("folded", {sample::flame()});
  EXPECT_EQ(count(folded, "\n"), 3u);
  EXPECT_NE(folded.find("main;light:frame 40\n"), std::string::npos);
  EXPECT_NE(folded.find("main 10\n"), std::string::npos);
}

TEST(Folded, TimesAreNanoseconds) {
  FlameData flame = sample::flame();
  flame.unit = "ms";
  EXPECT_NE(rendered("folded", {flame}).find("main;light:frame 39500000\n"), std::string::npos);
  flame.differential = true;
  EXPECT_NE(rendered("folded", {flame}).find("main;light:frame 40000000 39500000\n"),
            std::string::npos);
  flame.unit = "samples";
  EXPECT_NE(rendered("folded", {flame}).find("main;light:frame 40000 39500\n"), std::string::npos);
}

TEST(Html, IsSelfContainedAndHostileTextStaysText) {
  const std::string html = rendered("html", {sample::flame(), sample::flame()});
  EXPECT_EQ(count(html, "<script"), 2u);  // one a graph
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(count(html, "http"), count(html, "http-equiv") + count(html, "http://www.w3.org/"));
  for (const char* what : {" href=", " src=", "@import", "url("}) {
    EXPECT_EQ(html.find(what), std::string::npos) << what;
  }
  EXPECT_NE(html.find("id=\"fg1\""), std::string::npos);
  EXPECT_NE(html.find("id=\"fg2\""), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("GET /health is slow in its tail"), std::string::npos);
}

TEST(Html, SameNumbersAsTheText) {
  const std::string html = rendered("html", {});
  for (const char* what : {"41.3", "31.6 ms", "391 of the 410 slow requests", "1.9 % unexplained",
                           "123,870 requests"}) {
    EXPECT_NE(html.find(what), std::string::npos) << what;
  }
}

TEST(Formats, HaveUniqueNamesAndAreFoundByPath) {
  for (const Format& format : formats()) {
    EXPECT_EQ(find_format(format.name), &format);
    EXPECT_EQ(format_of_path("a" + std::string(format.extension)), &format);
    EXPECT_FALSE(format.doc.empty());
  }
  EXPECT_EQ(format_of_path("x.unknown"), nullptr);
  EXPECT_EQ(format_of_path(".csv"), nullptr);
}

}  // namespace
}  // namespace srvprof
