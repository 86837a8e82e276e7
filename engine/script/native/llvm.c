// Loads LLVM's C interface at run time, and compiles IR text to objects.
#include "native/llvm.h"

#include "base/assert.h"
#include "base/dynamic_library.h"
#include "base/library_names.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *ref_t; // any of LLVM's reference types

// Functions of LLVM, without the prefix "LLVM". Enumerations are int, as in C.
#define FUNCTIONS(X)                                                                                                   \
  X(void, InitializeX86TargetInfo, (void))                                                                             \
  X(void, InitializeX86Target, (void))                                                                                 \
  X(void, InitializeX86TargetMC, (void))                                                                               \
  X(void, InitializeX86AsmPrinter, (void))                                                                             \
  X(void, InstallFatalErrorHandler, (void (*)(const char *)))                                                          \
  X(ref_t, ContextCreate, (void))                                                                                      \
  X(void, ContextDispose, (ref_t))                                                                                     \
  X(void, ContextSetDiagnosticHandler, (ref_t, void (*)(ref_t, void *), void *))                                       \
  X(ref_t, CreateMemoryBufferWithMemoryRangeCopy, (const char *, size_t, const char *))                                \
  X(int, ParseIRInContext, (ref_t, ref_t, ref_t *, char **))                                                           \
  X(int, VerifyModule, (ref_t, int, char **))                                                                          \
  X(int, GetTargetFromTriple, (const char *, ref_t *, char **))                                                        \
  X(ref_t, CreateTargetMachine, (ref_t, const char *, const char *, const char *, int, int, int))                      \
  X(ref_t, CreateTargetDataLayout, (ref_t))                                                                            \
  X(void, SetModuleDataLayout, (ref_t, ref_t))                                                                         \
  X(void, SetTarget, (ref_t, const char *))                                                                            \
  X(ref_t, CreatePassBuilderOptions, (void))                                                                           \
  X(void, DisposePassBuilderOptions, (ref_t))                                                                          \
  X(ref_t, RunPasses, (ref_t, const char *, ref_t, ref_t))                                                             \
  X(char *, GetErrorMessage, (ref_t))                                                                                  \
  X(void, DisposeErrorMessage, (char *))                                                                               \
  X(int, TargetMachineEmitToMemoryBuffer, (ref_t, ref_t, int, char **, ref_t *))                                       \
  X(const char *, GetBufferStart, (ref_t))                                                                             \
  X(size_t, GetBufferSize, (ref_t))                                                                                    \
  X(void, DisposeMemoryBuffer, (ref_t))                                                                                \
  X(void, DisposeModule, (ref_t))                                                                                      \
  X(void, DisposeTargetMachine, (ref_t))                                                                               \
  X(void, DisposeTargetData, (ref_t))                                                                                  \
  X(void, DisposeMessage, (char *))

#define MEMBER(result_, name_, arguments_) result_(*name_) arguments_;
static struct {
  void *library;
  bool opened;
  FUNCTIONS(MEMBER)
} llvm;
#undef MEMBER

#define MIN_VERSION 15u // LLVM 14 has a different pointer syntax
#define MAX_VERSION 30u // newest version that is searched for and accepted

static const char TRIPLE[] = "x86_64-unknown-linux-gnu";
// Optimization passes for the generated IR, which is straight-line vector code in a single loop, with little
// redundancy. instcombine is omitted for two reasons. It would turn masks into one-bit booleans. In LLVM 15 it also
// treats `c < 0 and 0 or c` as `c <= 0 and 0 or c`, which loses -0.
static const char PASSES[] = "function(early-cse,loop-mssa(licm),dce)";
enum { RETURN_STATUS = 2, LEVEL_NONE = 0, LEVEL_DEFAULT = 2, RELOC_PIC = 2, CODE_MODEL_SMALL = 3, OBJECT_FILE = 1 };
// Compiling a system must take at most 25 ms, so longer IR uses LLVM's fast instruction selection and register
// allocation, which take a third as long. As with all compiled code, the result is used only if it is faster than
// LuaJIT.
static const size_t MAX_OPTIMISED_TEXT = 45000;

static void (*fatal_handler)(const char *);
static pthread_t compiler_thread;

void llvm_set_fatal_handler(void (*handler)(const char *message)) {
  fatal_handler = handler;
  compiler_thread = pthread_self();
}

static void handle_fatal_error(const char *message) {
  if (fatal_handler && pthread_equal(pthread_self(), compiler_thread))
    fatal_handler(message);
}

static bool load_functions(void) {
  bool found = true;
#define FIND(result_, name_, arguments_)                                                                               \
  *(void **)&llvm.name_ = dynamic_library_find(llvm.library, "LLVM" #name_);                                           \
  found = found && llvm.name_;
  FUNCTIONS(FIND)
#undef FIND
  return found;
}

// Returns true if the loaded library is usable: its actual version must be in the supported range (the file name may be
// misleading), and it must have all required functions. LLVM 15 has no function that returns the version.
static bool is_usable(void) {
  unsigned major = MIN_VERSION;
  void (*get_version)(unsigned *, unsigned *, unsigned *);
  *(void **)&get_version = dynamic_library_find(llvm.library, "LLVMGetVersion");
  if (get_version)
    get_version(&major, NULL, NULL);
  return major >= MIN_VERSION && major <= MAX_VERSION && load_functions();
}

static void open_library(const char *name) {
  if (llvm.library)
    return;
  llvm.library = dynamic_library_open(name);
  if (llvm.library && !is_usable()) {
    dynamic_library_close(llvm.library);
    llvm.library = NULL;
  }
}

bool llvm_open(error_info_t *error) {
  char name[512];
  for (unsigned version = MIN_VERSION; version <= MAX_VERSION && !llvm.opened; ++version)
    for (size_t i = 0; library_name_of_llvm(i, version, name, sizeof name); ++i)
      open_library(name);
  if (llvm.library && !llvm.opened) {
    llvm.InitializeX86TargetInfo();
    llvm.InitializeX86Target();
    llvm.InitializeX86TargetMC();
    llvm.InitializeX86AsmPrinter();
    llvm.InstallFatalErrorHandler(handle_fatal_error);
  }
  llvm.opened = true;
  return llvm.library || error_set(error, "LLVM is not installed: %s", library_hint_of_llvm());
}

static void ignore_diagnostic(ref_t diagnostic, void *context) {
  (void)diagnostic;
  (void)context;
}

// Sets an error with LLVM's message, releases the message, and returns false.
static bool set_error(error_info_t *error, const char *action, char *message) {
  error_set(error, "LLVM cannot %s: %s", action, message ? message : "unknown reason");
  if (message)
    llvm.DisposeMessage(message);
  return false;
}

static ref_t create_machine(const char *features, int level, error_info_t *error) {
  ref_t target = NULL;
  char *message = NULL;
  if (llvm.GetTargetFromTriple(TRIPLE, &target, &message)) {
    set_error(error, "find the target", message);
    return NULL;
  }
  return llvm.CreateTargetMachine(target, TRIPLE, "x86-64", features, level, RELOC_PIC, CODE_MODEL_SMALL);
}

static bool optimize_module(ref_t module, ref_t machine, error_info_t *error) {
  char *message = NULL;
  ref_t layout = llvm.CreateTargetDataLayout(machine);
  llvm.SetModuleDataLayout(module, layout);
  llvm.DisposeTargetData(layout);
  llvm.SetTarget(module, TRIPLE);
  if (llvm.VerifyModule(module, RETURN_STATUS, &message))
    return set_error(error, "verify the code", message);
  if (message)
    llvm.DisposeMessage(message);
  ref_t options = llvm.CreatePassBuilderOptions();
  ref_t failure = llvm.RunPasses(module, PASSES, machine, options);
  llvm.DisposePassBuilderOptions(options);
  if (failure) {
    char *failure_message = llvm.GetErrorMessage(failure);
    error_set(error, "LLVM cannot optimise the code: %s", failure_message);
    llvm.DisposeErrorMessage(failure_message);
  }
  return !failure;
}

static void *emit_object(ref_t module, ref_t machine, size_t *size_bytes, error_info_t *error) {
  char *message = NULL;
  ref_t buffer = NULL;
  if (!optimize_module(module, machine, error))
    return NULL;
  if (llvm.TargetMachineEmitToMemoryBuffer(machine, module, OBJECT_FILE, &message, &buffer)) {
    set_error(error, "compile the code", message);
    return NULL;
  }
  *size_bytes = llvm.GetBufferSize(buffer);
  void *object = malloc(*size_bytes);
  if (object)
    memcpy(object, llvm.GetBufferStart(buffer), *size_bytes);
  else
    error_set(error, "out of memory for compiled code");
  llvm.DisposeMemoryBuffer(buffer);
  return object;
}

void *llvm_compile(const char *text, size_t length, const char *features, size_t *size_bytes, error_info_t *error) {
  shoal_assert(llvm.library, "LLVM must be loaded");
  shoal_assert(length > 0, "the IR must not be empty");
  void *object = NULL;
  char *message = NULL;
  int level = length > MAX_OPTIMISED_TEXT ? LEVEL_NONE : LEVEL_DEFAULT;
  ref_t context = llvm.ContextCreate(), module = NULL, machine = create_machine(features, level, error);
  llvm.ContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
  ref_t buffer = llvm.CreateMemoryBufferWithMemoryRangeCopy(text, length, "system"); // the parser takes ownership
  if (machine && llvm.ParseIRInContext(context, buffer, &module, &message))
    set_error(error, "parse the code", message);
  else if (machine)
    object = emit_object(module, machine, size_bytes, error);
  if (module)
    llvm.DisposeModule(module);
  if (machine)
    llvm.DisposeTargetMachine(machine);
  llvm.ContextDispose(context);
  return object;
}

void llvm_free(void *object) {
  free(object);
}
