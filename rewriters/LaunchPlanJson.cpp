#include "rewriters/LaunchPlan.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// Reads one plan; every error starts with where it is.
class PlanReader {
public:
  explicit PlanReader(size_t index) : where_("plan " + std::to_string(index)) {}

  llvm::Expected<LaunchPlan> read(const Json &value) {
    if (!value.is_object())
      return fail("is not an object");
    LaunchPlan plan;
    for (const auto &[key, member] : value.items())
      if (llvm::Error error = readMember(key, member, plan))
        return std::move(error);
    if (plan.kernel.empty())
      return fail("'kernel' is missing");
    if (plan.steps.empty())
      return fail("'steps' is missing or empty");
    if (llvm::none_of(plan.steps,
                      [](const PlanStep &step) { return std::holds_alternative<PlannedLaunch>(step); }))
      return fail("it launches nothing");
    return plan;
  }

private:
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError(where_ + ": " + message);
  }

  llvm::Error readMember(const std::string &key, const Json &value, LaunchPlan &plan) {
    if (key == "schema")
      return llvm::Error::success();
    if (key == "kernel")
      return readString(key, value, plan.kernel);
    if (key == "name")
      return readString(key, value, plan.name);
    if (key == "guard")
      return readExpression(key, value, plan.guard.emplace(ScalarExpression::constant(1)));
    if (key == "scratch")
      return readList(key, value, [&](const Json &entry) { return readScratch(entry, plan); });
    if (key == "steps")
      return readList(key, value, [&](const Json &entry) { return readStep(entry, plan); });
    return fail("unknown key '" + key + "'");
  }

  template <typename Read> llvm::Error readList(const std::string &key, const Json &value, Read readOne) {
    if (!value.is_array())
      return fail("'" + key + "' must be an array");
    std::string outer = where_;
    for (size_t i = 0; i < value.size(); ++i) {
      where_ = outer + ": " + key + "[" + std::to_string(i) + "]";
      if (llvm::Error error = readOne(value[i]))
        return error;
    }
    where_ = outer;
    return llvm::Error::success();
  }

  llvm::Error readString(const std::string &key, const Json &value, std::string &text) const {
    if (!value.is_string() || value.get<std::string>().empty())
      return fail("'" + key + "' must be a string that is not empty");
    text = value.get<std::string>();
    return llvm::Error::success();
  }

  /// An integer, or a string that holds an expression.
  llvm::Error readExpression(const std::string &key, const Json &value, ScalarExpression &expression) const {
    if (value.is_number_integer()) {
      expression = ScalarExpression::constant(value.get<int64_t>());
      return llvm::Error::success();
    }
    if (!value.is_string())
      return fail("'" + key + "' must be an integer or an expression");
    llvm::Expected<ScalarExpression> parsed = ScalarExpression::parse(value.get<std::string>());
    if (!parsed)
      return fail("'" + key + "': " + llvm::toString(parsed.takeError()));
    expression = std::move(*parsed);
    return llvm::Error::success();
  }

  llvm::Error readExtents(const std::string &key, const Json &value,
                          std::optional<ExtentsClause> &clause) const {
    if (!value.is_array() || value.empty() || value.size() > 3)
      return fail("'" + key + "' must be an array of one to three extents");
    clause.emplace();
    for (const Json &extent : value) {
      ScalarExpression expression = ScalarExpression::constant(1);
      if (llvm::Error error = readExpression(key, extent, expression))
        return error;
      clause->extents.push_back(std::move(expression));
    }
    return llvm::Error::success();
  }

  llvm::Error readScratch(const Json &value, LaunchPlan &plan) const {
    ScratchBuffer scratch;
    if (!value.is_object() || !value.contains("name") || !value.contains("bytes"))
      return fail("must be an object with 'name' and 'bytes'");
    for (const auto &[key, member] : value.items()) {
      llvm::Error error = key == "name"    ? readString(key, member, scratch.name)
                          : key == "bytes" ? readExpression(key, member, scratch.bytes)
                                           : fail("unknown key '" + key + "'");
      if (error)
        return error;
    }
    plan.scratch.push_back(std::move(scratch));
    return llvm::Error::success();
  }

  llvm::Error readStep(const Json &value, LaunchPlan &plan) const {
    if (value.is_object() && value.contains("launch"))
      return readLaunch(value, plan);
    if (value.is_object() && value.contains("memset"))
      return readFill(value, plan);
    return fail("must be an object with 'launch' or 'memset'");
  }

  llvm::Error readFill(const Json &value, LaunchPlan &plan) const {
    PlannedFill fill;
    if (!value.contains("bytes"))
      return fail("'bytes' is missing");
    for (const auto &[key, member] : value.items()) {
      if (key == "memset") {
        if (llvm::Error error = readString(key, member, fill.buffer))
          return error;
      } else if (key == "bytes") {
        if (llvm::Error error = readExpression(key, member, fill.bytes))
          return error;
      } else if (key == "value") {
        if (!member.is_number_integer() || member.get<int64_t>() < 0 || member.get<int64_t>() > 255)
          return fail("'value' must be a byte");
        fill.value = static_cast<uint8_t>(member.get<int64_t>());
      } else {
        return fail("unknown key '" + key + "'");
      }
    }
    plan.steps.push_back(std::move(fill));
    return llvm::Error::success();
  }

  llvm::Error readLaunch(const Json &value, LaunchPlan &plan) const {
    PlannedLaunch launch;
    for (const auto &[key, member] : value.items())
      if (llvm::Error error = readLaunchMember(key, member, launch))
        return error;
    plan.steps.push_back(std::move(launch));
    return llvm::Error::success();
  }

  llvm::Error readLaunchMember(const std::string &key, const Json &value, PlannedLaunch &launch) const {
    if (key == "launch")
      return readString(key, value, launch.kernel);
    if (key == "grid")
      return readExtents(key, value, launch.grid);
    if (key == "block")
      return readExtents(key, value, launch.block);
    if (key == "cluster")
      return readExtents(key, value, launch.cluster);
    if (key == "dynamic_shared") {
      launch.dynamicShared = ValueClause{ScalarExpression::constant(0), {}};
      return readExpression(key, value, launch.dynamicShared->value);
    }
    if (key == "cooperative") {
      if (!value.is_boolean())
        return fail("'cooperative' must be true or false");
      launch.cooperative = value.get<bool>();
      return llvm::Error::success();
    }
    if (key == "shared_carveout") {
      if (!value.is_number_integer() || value.get<int64_t>() < 0 || value.get<int64_t>() > 100)
        return fail("'shared_carveout' must be a share in percent");
      launch.sharedCarveout = value.get<unsigned>();
      return llvm::Error::success();
    }
    if (key == "arguments")
      return readArguments(value, launch);
    return fail("unknown key '" + key + "'");
  }

  llvm::Error readArguments(const Json &value, PlannedLaunch &launch) const {
    if (!value.is_object())
      return fail("'arguments' must be an object from parameter names to expressions");
    for (const auto &[name, argument] : value.items()) {
      if (argument.is_number_float()) {
        launch.arguments.insert_or_assign(name, argument.get<double>());
        continue;
      }
      ScalarExpression expression = ScalarExpression::constant(0);
      if (llvm::Error error = readExpression(name, argument, expression))
        return error;
      launch.arguments.insert_or_assign(name, std::move(expression));
    }
    return llvm::Error::success();
  }

  std::string where_;
};

Json toJson(const ExtentsClause &clause) {
  Json list = Json::array();
  for (const ScalarExpression &extent : clause.extents)
    list.push_back(extent.str());
  return list;
}

Json toJson(const PlannedFill &fill) {
  return {{"memset", fill.buffer}, {"value", fill.value}, {"bytes", fill.bytes.str()}};
}

Json toJson(const PlannedLaunch &launch) {
  Json value = {{"launch", launch.kernel}};
  if (launch.grid)
    value["grid"] = toJson(*launch.grid);
  if (launch.block)
    value["block"] = toJson(*launch.block);
  if (launch.dynamicShared)
    value["dynamic_shared"] = launch.dynamicShared->value.str();
  if (launch.cluster)
    value["cluster"] = toJson(*launch.cluster);
  if (launch.cooperative)
    value["cooperative"] = true;
  if (launch.sharedCarveout)
    value["shared_carveout"] = *launch.sharedCarveout;
  for (const auto &[name, argument] : launch.arguments) {
    if (const auto *number = std::get_if<double>(&argument))
      value["arguments"][name] = *number;
    else
      value["arguments"][name] = std::get<ScalarExpression>(argument).str();
  }
  return value;
}

Json toJson(const LaunchPlan &plan) {
  Json value = {{"kernel", plan.kernel}};
  if (!plan.name.empty())
    value["name"] = plan.name;
  if (plan.guard)
    value["guard"] = plan.guard->str();
  for (const ScratchBuffer &scratch : plan.scratch)
    value["scratch"].push_back({{"name", scratch.name}, {"bytes", scratch.bytes.str()}});
  value["steps"] = Json::array();
  for (const PlanStep &step : plan.steps)
    value["steps"].push_back(std::visit([](const auto &one) { return toJson(one); }, step));
  return value;
}

} // namespace

llvm::Expected<std::vector<LaunchPlan>> parseLaunchPlans(const Json &document) {
  const Json *list = &document;
  if (document.is_object() && document.contains("plans"))
    list = &document["plans"];
  Json single;
  if (list == &document && document.is_object()) {
    single = Json::array({document});
    list = &single;
  }
  if (!list->is_array())
    return llvm::createStringError("plans must be an array");
  std::vector<LaunchPlan> plans;
  for (size_t i = 0; i < list->size(); ++i) {
    llvm::Expected<LaunchPlan> plan = PlanReader(i).read((*list)[i]);
    if (!plan)
      return plan.takeError();
    plans.push_back(std::move(*plan));
  }
  return plans;
}

Json toJson(llvm::ArrayRef<LaunchPlan> plans) {
  Json list = Json::array();
  for (const LaunchPlan &plan : plans)
    list.push_back(toJson(plan));
  return {{"schema", "warpwright/launch-plan/1"}, {"plans", std::move(list)}};
}

} // namespace warpwright
