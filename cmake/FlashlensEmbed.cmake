# flashlens_embed(CPP HEADER FUNCTION FILE...): CPP defines FUNCTION (its name with its namespaces), which HEADER declares
# as `std::span<const EmbeddedText>()`: the files' texts in this order, each by its path from the project's root. So the
# program needs no file at run time, and what it shows of itself is what it was built from. It is made again when a file
# changes.
set(FLASHLENS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
function(flashlens_embed cpp header function)
  add_custom_command(
    OUTPUT ${cpp}
    COMMAND ${CMAKE_COMMAND} -DCPP=${cpp} -DHEADER=${header} -DFUNCTION=${function} -DROOT=${PROJECT_SOURCE_DIR}
            "-DFILES=${ARGN}" -P ${FLASHLENS_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${FLASHLENS_EMBED_SCRIPT}
    COMMENT "Embedding for ${function}"
    VERBATIM)
endfunction()
