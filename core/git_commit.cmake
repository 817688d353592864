# Writes a header with the commit of the source tree; "+" behind it when files differ from it.
execute_process(COMMAND git describe --always --abbrev=12 --exclude=* --dirty=+ OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define LENGTHWISE_GIT_COMMIT \"${commit}\"\n")
