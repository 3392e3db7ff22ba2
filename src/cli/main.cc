#include "cli/app.h"

int main(int argc, char** argv) {
  return srvprof::run_app({argv + (argc > 0 ? 1 : 0), argv + argc});
}
