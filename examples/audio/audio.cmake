# SPDX-License-Identifier: BSL-1.0
# The programs learn and play, and the LV2 plugin, in examples/audio/ of the build. Each is left out where a
# library is missing (libraries.cmake).
set(audio ${CMAKE_CURRENT_LIST_DIR})
set(audio_built ${CMAKE_CURRENT_BINARY_DIR}/audio)

include(${audio}/libraries.cmake)
include(${audio}/cells.cmake)

# Models at any sample rate, for play and the plugin.
add_library(audio_models STATIC EXCLUDE_FROM_ALL ${audio}/model_at_rate.cpp)
set_target_properties(audio_models PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(audio_models PRIVATE ${audio_folder})
target_link_libraries(audio_models PUBLIC sluice_own_code sluice_own_runtime sluice_own_models)

if(audio_has_sound)
    add_library(audio_sound STATIC EXCLUDE_FROM_ALL ${audio}/sound.cpp)
    target_link_libraries(audio_sound PUBLIC ${SNDFILE_LIBRARY} PRIVATE sluice_own_code)
    target_include_directories(audio_sound SYSTEM PRIVATE ${SNDFILE_INCLUDE_DIR})
    foreach(program IN ITEMS learn play)
        file(GLOB sources CONFIGURE_DEPENDS ${audio}/${program}/*.cpp)
        add_executable(audio_${program} ${sources})
        set_target_properties(audio_${program} PROPERTIES OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${audio_built})
        target_link_libraries(audio_${program} PRIVATE audio_sound sluice_own_code sluice_own_runtime ${CMAKE_DL_LIBS})
    endforeach()
    target_sources(audio_learn PRIVATE ${audio_cell_files})
    target_include_directories(audio_learn PRIVATE ${audio})
    target_link_libraries(audio_play PRIVATE audio_models)
endif()

if(audio_has_lv2)
    set(bundle ${audio_built}/lv2/sluice_amp.lv2)
    add_library(audio_lv2 MODULE ${audio}/lv2/plugin.cpp)
    set_target_properties(audio_lv2 PROPERTIES OUTPUT_NAME sluice_amp PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${bundle}
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(audio_lv2 PRIVATE audio_models)
    target_include_directories(audio_lv2 SYSTEM PRIVATE ${LV2_INCLUDE_DIR})
    target_link_options(audio_lv2 PRIVATE LINKER:--gc-sections LINKER:--exclude-libs,ALL LINKER:--no-undefined)
    configure_file(${audio}/lv2/manifest.ttl.in ${bundle}/manifest.ttl @ONLY)
    configure_file(${audio}/lv2/amp.ttl ${bundle}/amp.ttl COPYONLY)
    configure_file(${audio}/lv2/model.json ${bundle}/model.json COPYONLY)
endif()
