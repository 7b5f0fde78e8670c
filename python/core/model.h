// A scenario that has been read, with the plans made of it so far.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "sarrus/document.h"
#include "sarrus/plan.h"

namespace sarrus_python {

namespace nb = nanobind;

using Settings = std::vector<std::pair<std::string, std::string>>;

class Model {
  public:
    // Reads the file `name`, or `text` under that name.
    Model(const std::string &name, const std::string *text, const Settings &settings);
    ~Model();
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    const sarrus_document *get() const {
        return document;
    }
    int n_groups() const {
        return sarrus_document_n_groups(document);
    }
    const sarrus_model *group(int i) const;
    // Made when it is asked for first; called with the interpreter's lock, which is given away meanwhile.
    const sarrus_plan *plan(int i);
    // The one model. Raises for a document of several.
    const sarrus_model *single() const;

  private:
    sarrus_document *document = nullptr;
    std::vector<sarrus_plan *> plans;
    bool is_planning = false;
};

void model_bind(nb::module_ &module);

} // namespace sarrus_python
