/* Holds the table of cuSOLVER's and cuBLAS's functions against the toolkit's headers: every member takes and returns what the
 * function of that name does, as far as a call can tell (a pointer is a pointer to the same numbers or to anything, an
 * enumeration an int). That this file compiles is the test. */
#include <cstdint>
#include <type_traits>

#include <cublas_v2.h>
#include <cusolverDn.h>

extern "C" {
#include "backend/cuda/cusolver.h"
}

/* Whether an argument of type `ours` is passed as one of type `theirs`. */
template <class ours, class theirs> constexpr bool is_passed_alike() {
    if constexpr (std::is_enum_v<theirs>)
        return std::is_same_v<ours, int> && sizeof(theirs) == sizeof(int);
    else if constexpr (std::is_pointer_v<ours> && std::is_pointer_v<theirs>) {
        using of_ours = std::remove_pointer_t<ours>;
        using of_theirs = std::remove_pointer_t<theirs>;
        if constexpr (std::is_void_v<std::remove_cv_t<of_ours>>) /* handles, and what is of no type there either */
            return !std::is_arithmetic_v<of_theirs> && std::is_const_v<of_ours> == std::is_const_v<of_theirs>;
        else if constexpr (std::is_pointer_v<of_ours>) /* where a handle goes */
            return std::is_pointer_v<of_theirs>;
        else
            return std::is_same_v<of_ours, of_theirs>;
    } else
        return std::is_same_v<ours, theirs>;
}

template <class ours, class theirs> struct is_called_alike : std::false_type {};
template <class... ours, class... theirs>
struct is_called_alike<int (*)(ours...), cusolverStatus_t (*)(theirs...)>
    : std::bool_constant<(is_passed_alike<ours, theirs>() && ...)> {};
template <class... ours, class... theirs>
struct is_called_alike<int (*)(ours...), cublasStatus_t (*)(theirs...)>
    : std::bool_constant<(is_passed_alike<ours, theirs>() && ...)> {};

#define SARRUS_CUSOLVER(member, symbol)                                                                                            \
    static_assert(is_called_alike<decltype(sarrus_cusolver::member), decltype(&symbol)>::value, #symbol);
#define SARRUS_CUSOLVER_OPTIONAL(member, symbol) SARRUS_CUSOLVER(member, symbol)
#define SARRUS_CUBLAS(member, symbol) SARRUS_CUSOLVER(member, symbol)
#include "backend/cuda/cusolver.def"

static_assert(sizeof(cusolverStatus_t) == sizeof(int) && CUSOLVER_STATUS_SUCCESS == 0);
static_assert(sizeof(cublasStatus_t) == sizeof(int) && CUBLAS_STATUS_SUCCESS == 0);
static_assert(int{SARRUS_CUSOLVER_VECTORS} == int{CUSOLVER_EIG_MODE_VECTOR});
static_assert(int{SARRUS_CUBLAS_PLAIN} == int{CUBLAS_OP_N} && int{SARRUS_CUBLAS_TURNED} == int{CUBLAS_OP_T});
static_assert(int{SARRUS_CUBLAS_LOWER} == int{CUBLAS_FILL_MODE_LOWER});
static_assert(int{SARRUS_CUBLAS_PEDANTIC} == int{CUBLAS_PEDANTIC_MATH});
static_assert(int{SARRUS_CUDA_DOUBLE} == int{CUDA_R_64F});
