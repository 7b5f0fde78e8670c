# cmake -D "headers=A.h;B.h" -D node=NAME -D out=FILE -P SarrusExports.cmake: the linker's version script of the shared library. What
# the public headers declare is seen, by the version NAME, and nothing else: neither our own functions nor those of archives inside.

cmake_minimum_required(VERSION 3.25)
set(names "")
foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
    string(REGEX MATCHALL "sarrus_[a-z0-9_]+\\(" found "${text}")
    list(APPEND names ${found})
endforeach()
if(NOT names)
    message(FATAL_ERROR "The headers declare no function: ${headers}")
endif()
list(REMOVE_DUPLICATES names)
list(SORT names)
list(TRANSFORM names REPLACE "\\($" "")
list(JOIN names ";\n        " names)
file(WRITE ${out} "${node} {\n    global:\n        ${names};\n    local:\n        *;\n};\n")
