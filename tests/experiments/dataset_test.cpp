#include "experiments/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cmath>
#include <limits>

#include "tests/experiments/files.h"

namespace lengthwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string message(auto&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Group sample() {
  Group root;
  root.attributes["zulu"] = "é, 模型 and α\nsecond line";
  root.attributes["empty"] = "";
  root.attributes["count"] = std::int64_t{-3};
  root.attributes["seed"] = std::uint64_t{18446744073709551615u};
  root.attributes["rate"] = 0.1;
  root.attributes["yes"] = true;
  root.attributes["no"] = false;
  root.attributes["reals"] = std::vector<double>{0.5, -1};
  root.attributes["one"] = std::vector<std::int64_t>{7};
  root.attributes["none"] = std::vector<std::int64_t>{};
  root.attributes["alpha"] = "last";
  Group& table = root.group("evaluation/window");
  table.add_dimension("step", std::vector<std::int64_t>{100, 200}, "1", "training step");
  table.add_dimension("length", std::vector<std::int64_t>{10, 20, 40}, "symbols");
  table.add_dimension("metric", std::vector<std::string>{"exact", "première"});
  table.dimensions["head"] = {2, {}, "", "head of the model"};
  table.add_variable("loss", {"step", "length"}, std::vector<double>{1, 2, 3, 4, nan, 6}, "nats", "loss a token");
  table.add_variable("accuracy", {"length"}, std::vector<float>{0.5f, NAN, 1});
  table.add_variable("tokens", {"length"}, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 0, 9});
  table.add_variable("solved", {"step", "head"}, std::vector<std::uint8_t>{1, 0, 0, 1});
  table.add_variable("word", {"metric"}, std::vector<std::string>{"", "naïve"});
  table.add_variable("total", {}, std::vector<double>{2.5}, "s");
  root.group("model").dimensions["size_64"] = {64};
  root.group("model").add_variable("layer.0.bias", {"size_64"}, std::vector<float>(64, 0.25f));
  root.group("aaa");  // after "model": the order is kept, not sorted
  return root;
}

void expect_equal(const Values& a, const Values& b, const std::string& name) {
  ASSERT_EQ(a.index(), b.index()) << name;
  std::visit(
      [&]<class T>(const std::vector<T>& x) {
        const auto& y = std::get<std::vector<T>>(b);
        ASSERT_EQ(x.size(), y.size()) << name;
        for (std::size_t i = 0; i < x.size(); ++i)
          EXPECT_TRUE(x[i] == y[i] || (x[i] != x[i] && y[i] != y[i])) << name << " " << i;
      },
      a);
}

void expect_equal(const Group& a, const Group& b) {
  EXPECT_EQ(a.attributes.names(), b.attributes.names());
  for (const auto& [name, value] : a.attributes) EXPECT_EQ(value, b.attributes.at(name)) << name;
  EXPECT_EQ(a.dimensions.names(), b.dimensions.names());
  for (const auto& [name, dimension] : a.dimensions) {
    const Group::Dimension& other = b.dimensions.at(name);
    EXPECT_EQ(std::tie(dimension.size, dimension.unit, dimension.description),
              std::tie(other.size, other.unit, other.description));
    ASSERT_EQ(dimension.coordinates.has_value(), other.coordinates.has_value()) << name;
    if (dimension.coordinates) expect_equal(*dimension.coordinates, *other.coordinates, name);
  }
  EXPECT_EQ(a.variables.names(), b.variables.names());
  for (const auto& [name, variable] : a.variables) {
    const Group::Variable& other = b.variables.at(name);
    EXPECT_EQ(std::tie(variable.dimensions, variable.unit, variable.description),
              std::tie(other.dimensions, other.unit, other.description));
    expect_equal(variable.values, other.values, name);
  }
  ASSERT_EQ(a.groups.names(), b.groups.names());
  for (const auto& [name, child] : a.groups) expect_equal(child, b.groups.at(name));
}

TEST(dataset, comes_back_as_it_was_written) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  expect_equal(sample(), read_dataset(folder / "a.h5"));
}

TEST(dataset, opens_in_python) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  expect_python(folder / "a.h5", R"(
assert list(h5.attrs) == "zulu empty count seed rate yes no reals one none alpha".split(), list(h5.attrs)
assert list(netCDF4.Dataset(path).groups) == ["evaluation", "model", "aaa"]
assert h5.attrs["zulu"] == "é, 模型 and α\nsecond line" and h5.attrs["empty"] == ""
assert h5.attrs["seed"] == 2**64 - 1 and h5.attrs["count"] == -3 and h5.attrs["rate"] == 0.1
assert h5.attrs["yes"] == 1 and h5.attrs["no"] == 0 and h5.attrs["yes"].dtype == np.uint8
assert h5.attrs["reals"].tolist() == [0.5, -1] and h5.attrs["none"].shape == (0,)
for engine in ["h5netcdf", "netcdf4"]:
    d = open("evaluation/window", engine)
    assert dict(d.sizes) == {"step": 2, "length": 3, "metric": 2, "head": 2}, d.sizes
    assert d.loss.dims == ("step", "length") and d.loss.attrs == {"units": "nats", "long_name": "loss a token"}
    assert d.length.values.tolist() == [10, 20, 40] and d.step.attrs["long_name"] == "training step"
    assert d.metric.values.tolist() == ["exact", "première"] and d.word.values.tolist() == ["", "naïve"]
    assert "head" not in d.coords and d.solved.dims == ("step", "head")
    assert d.solved.dtype == bool and d.solved.values.tolist() == [[True, False], [False, True]]
    assert np.isnan(d.loss.sel(step=200, length=20)) and d.loss.encoding["_FillValue"] != d.loss.encoding["_FillValue"]
    assert d.accuracy.dtype == np.float32 and d.tokens.dtype == np.int64 and d.tokens.values[0] == -2**63
    assert float(d.total) == 2.5 and d.total.dtype == np.float64, "a unit of s stays a number"
    assert open("model", engine)["layer.0.bias"].shape == (64,)
    assert open("/", engine).attrs["zulu"].startswith("é")
assert h5["model/layer.0.bias"][0] == 0.25
)");
}

TEST(dataset, arrays_of_length_zero) {
  Group root;
  root.add_dimension("step", std::vector<std::int64_t>{});
  root.add_dimension("length", std::vector<std::int64_t>{10, 20});
  root.dimensions["example"] = {0};
  root.add_variable("loss", {"step", "length"}, std::vector<double>{});
  root.add_variable("solved", {"length", "example"}, std::vector<std::uint8_t>{});
  root.add_variable("word", {"step"}, std::vector<std::string>{});
  const Folder folder;
  write_dataset(folder / "empty.h5", root);
  expect_equal(root, read_dataset(folder / "empty.h5"));
  expect_python(folder / "empty.h5", R"(
for engine in ["h5netcdf", "netcdf4"]:
    d = open("/", engine)
    assert d.loss.shape == (0, 2) and d.solved.shape == (2, 0) and d.solved.dtype == bool, d
    assert d.length.values.tolist() == [10, 20]
assert h5["loss"].shape == (0, 2)
)");
}

TEST(dataset, names_beyond_ascii) {
  const Folder folder;
  std::filesystem::create_directory(folder / "résultats of mine");
  const std::string path = folder / "résultats of mine/模型 α.h5";
  Group root = sample();
  root.group("évaluation").add_dimension("größe", std::vector<double>{1});
  write_dataset(path, root);
  EXPECT_TRUE(std::filesystem::exists(path));
  expect_equal(root, read_dataset(path));
  expect_python(path, R"(
assert path.endswith("résultats of mine/模型 α.h5")
assert open("évaluation", "netcdf4")["größe"].values.tolist() == [1.0]
)");
}

TEST(dataset, text_that_is_not_utf8_is_repaired) {
  Group root;
  root.attributes["command_line"] = std::string("a\xC3\xA9 \xFF \xC3( \xED\xA0\x80 \xF0\x9F\x98\x80 \0.", 20);
  const Folder folder;
  write_dataset(folder / "a.h5", root);
  EXPECT_EQ(read_dataset(folder / "a.h5").attribute<std::string>("command_line"),
            "a\xC3\xA9 ? ?( ??? \xF0\x9F\x98\x80 ?.");
  expect_python(folder / "a.h5", "assert h5.attrs['command_line'] == 'aé ? ?( ??? 😀 ?.'");
}

TEST(dataset, a_rewritten_file_is_no_larger_and_holds_nothing_old) {
  const Folder folder;
  Group large = sample();
  large.group("old").add_dimension("n", std::vector<double>(5000, 1.0));
  write_dataset(folder / "fresh.h5", sample());
  write_dataset(folder / "reused.h5", large);
  for (int i = 0; i < 3; ++i) write_dataset(folder / "reused.h5", sample());
  EXPECT_EQ(std::filesystem::file_size(folder / "reused.h5"), std::filesystem::file_size(folder / "fresh.h5"));
  EXPECT_EQ(read_dataset(folder / "reused.h5").find("old"), nullptr);
  EXPECT_THAT(folder.names(), ElementsAre("fresh.h5", "reused.h5"));
}

// 200 lengths, 5 metrics, 20 evaluations.
TEST(dataset, overhead_is_small) {
  Group root;
  root.add_dimension("step", std::vector<std::int64_t>(20));
  root.add_dimension("length", std::vector<std::int64_t>(200));
  for (const char* name : {"a", "b", "c", "d", "e"})
    root.add_variable(name, {"step", "length"}, std::vector<double>(4000));
  const Folder folder;
  write_dataset(folder / "a.h5", root);
  EXPECT_LT(std::filesystem::file_size(folder / "a.h5"), 1.1 * 5 * 4000 * sizeof(double));
}

TEST(dataset, many_parameters_of_one_size) {
  Group root;
  root.dimensions["size_4"] = {4};
  for (int i = 0; i < 2000; ++i) root.variables[join("layer.", i)] = {{"size_4"}, std::vector<float>(4, float(i))};
  const Folder folder;
  write_dataset(folder / "a.h5", root);
  const Group back = read_dataset(folder / "a.h5");
  EXPECT_EQ(back.variables.size(), 2000u);
  EXPECT_EQ(back.variables.at("layer.1999").dimensions, std::vector<std::string>{"size_4"});
  EXPECT_EQ(back.get<float>("layer.1999").at(3), 1999);
}

TEST(dataset, reads_parts) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  const Group part = read_dataset(folder / "a.h5", std::vector<std::string>{"evaluation", "missing"});
  EXPECT_THAT(part.groups.names(), ElementsAre("evaluation"));
  EXPECT_EQ(part.find("evaluation/window")->get<double>("loss").at(3), 4);
  EXPECT_EQ(part.attributes.names(), sample().attributes.names());
  const Ordered<Attribute> attributes = read_attributes(folder / "a.h5");
  EXPECT_EQ(std::get<std::uint64_t>(attributes.at("seed")), 18446744073709551615u);
  EXPECT_EQ(attributes.names(), sample().attributes.names());
}

TEST(dataset, reads_files_without_dimension_scales) {
  const Folder folder;
  const Outcome made = shell(
      "/usr/bin/python3 -c \"import h5py, numpy as np; f = h5py.File('" + folder / "a.h5" + "', 'w')\n" +
      "f['x'] = np.arange(6, dtype='f2').reshape(2, 3); f['n'] = np.int16(5); f['b'] = np.array([True, False])\n" +
      "f['s'] = np.array([b'ab', b'c']); f.attrs['flag'] = np.bool_(True); f.attrs['size'] = np.uint32(8)\"");
  ASSERT_EQ(made.code, 0) << made.output;
  const Group root = read_dataset(folder / "a.h5");
  EXPECT_THAT(root.variables.at("x").dimensions, ElementsAre("size_2", "size_3"));
  EXPECT_THAT(root.get<float>("x"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(root.get<std::int64_t>("n"), ElementsAre(5));
  EXPECT_THAT(root.get<std::uint8_t>("b"), ElementsAre(1, 0));
  EXPECT_THAT(root.get<std::string>("s"), ElementsAre("ab", "c"));
  EXPECT_TRUE(root.attribute<bool>("flag"));
  EXPECT_EQ(root.attribute<std::int64_t>("size"), 8);
  EXPECT_THAT(message([&] { root.get<double>("x"); }), HasSubstr("another type"));
}

TEST(dataset, files_that_cannot_be_read_say_why) {
  const Folder folder;
  EXPECT_THROW(read_dataset(folder / "none.h5"), InputError);
  EXPECT_THAT(message([&] { read_dataset(folder / "none.h5"); }), HasSubstr("none.h5': No such file or directory"));
  EXPECT_THAT(message([&] { read_attributes(folder / "none.h5"); }), HasSubstr("No such file or directory"));
  EXPECT_THAT(message([&] { read_dataset(folder / ""); }), HasSubstr("it is a folder"));
  std::ofstream(folder / "text.h5") << "step,loss\n1,2\n";
  EXPECT_THAT(message([&] { read_dataset(folder / "text.h5"); }), HasSubstr("not an HDF5 file"));
  std::ofstream(folder / "empty.h5");
  EXPECT_THAT(message([&] { read_dataset(folder / "empty.h5"); }), HasSubstr("it is empty"));
  write_dataset(folder / "cut.h5", sample());
  std::filesystem::resize_file(folder / "cut.h5", std::filesystem::file_size(folder / "cut.h5") / 2);
  EXPECT_THROW(read_dataset(folder / "cut.h5"), InputError);
  EXPECT_THAT(message([&] { read_dataset(folder / "cut.h5"); }), HasSubstr("truncated file"));
}

// Anywhere in the file: HDF5 itself crashes on some of these and reads others as if nothing had happened.
TEST(dataset, any_damage_is_found) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  const std::string good = slurp(folder / "a.h5");
  for (std::size_t at = 8; at < good.size() - 16; at += 97) {  // the first 8 bytes say that it is HDF5
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(folder / "bad.h5", std::ios::binary) << bad;
    EXPECT_THAT(message([&] { read_dataset(folder / "bad.h5"); }), HasSubstr("checksum")) << "byte " << at;
  }
}

TEST(dataset, files_changed_by_other_programs_stay_readable) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  const Outcome change = shell("/usr/bin/python3 -c \"import h5py; f = h5py.File('" + folder / "a.h5" +
                               "', 'r+'); f['evaluation/window/loss'][0, 0] = 42; f.close()\"");
  ASSERT_EQ(change.code, 0) << change.output;
  EXPECT_EQ(read_dataset(folder / "a.h5").find("evaluation/window")->get<double>("loss").at(0), 42);
}

TEST(dataset, trees_that_do_not_fit_together_are_refused) {
  const Folder folder;
  Group root;
  root.add_dimension("length", std::vector<std::int64_t>{10, 20});
  root.add_variable("loss", {"length"}, std::vector<double>{1});
  EXPECT_THAT(message([&] { write_dataset(folder / "a.h5", root); }),
              HasSubstr("'loss' has 1 values; its dimensions need 2"));
  root.variables["loss"] = {{"lenght"}, std::vector<double>{1, 2}};
  EXPECT_THAT(message([&] { write_dataset(folder / "a.h5", root); }), HasSubstr("Did you mean 'length'?"));
  root.variables["loss"] = {{"length"}, std::vector<double>{1, 2}, "seconds"};
  EXPECT_THAT(message([&] { write_dataset(folder / "a.h5", root); }), HasSubstr("time spans"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(dataset, failing_to_write_leaves_the_old_file_and_nothing_else) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  const std::string before = slurp(folder / "a.h5");
  Group large = sample();
  large.add_dimension("n", std::vector<double>(100000));

  rlimit old_limit;
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{50000, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string seen = message([&] { write_dataset(folder / "a.h5", large); });
  setrlimit(RLIMIT_FSIZE, &old_limit);

  EXPECT_THAT(seen, HasSubstr("a.h5': writing: File too large"));
  EXPECT_EQ(slurp(folder / "a.h5"), before);
  EXPECT_THAT(folder.names(), ElementsAre("a.h5"));
  write_dataset(folder / "a.h5", large);  // and the next attempt works
  EXPECT_EQ(read_dataset(folder / "a.h5").dimensions.at("n").size, 100000u);

  EXPECT_THROW(write_dataset(folder / "no/such/a.h5", sample()), RunError);
  EXPECT_THAT(message([&] { write_dataset(folder / "no/such/a.h5", sample()); }),
              HasSubstr("No such file or directory"));
}

TEST(dataset, full_disk) {
  const Folder folder;
  const std::string path = folder / "a.h5";
  const pid_t child = fork();
  if (child == 0) {  // in a mount table of its own, which goes away with it
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", (folder / "").c_str(), "tmpfs", 0, "size=64k") != 0)
      _exit(77);
    write_dataset(path, sample());
    const std::string before = slurp(path);
    Group large = sample();
    large.add_dimension("n", std::vector<double>(100000));
    EXPECT_THAT(message([&] { write_dataset(path, large); }), HasSubstr("a.h5': writing: No space left on device"));
    EXPECT_EQ(slurp(path), before);
    EXPECT_THAT(folder.names(), ElementsAre("a.h5"));
    _exit(testing::Test::HasFailure());
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(status, 0);
}

TEST(dataset, open_elsewhere_does_not_matter) {
  const Folder folder;
  write_dataset(folder / "a.h5", sample());
  const std::string script =
      "import h5py, sys; f = h5py.File('" + folder / "a.h5" + "', 'r+'); print('open', flush=True); sys.stdin.read()";
  FILE* holder = popen(("/usr/bin/python3 -c \"" + script + "\" > '" + folder / "log" + "'").c_str(), "w");
  while (slurp(folder / "log") != "open\n") usleep(10000);
  Group changed = sample();
  changed.attributes["rate"] = 0.2;
  EXPECT_EQ(read_dataset(folder / "a.h5").attribute<double>("rate"), 0.1);
  write_dataset(folder / "a.h5", changed);
  EXPECT_EQ(read_dataset(folder / "a.h5").attribute<double>("rate"), 0.2);
  EXPECT_EQ(pclose(holder), 0);
}

}  // namespace
}  // namespace lengthwise
