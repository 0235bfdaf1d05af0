# SPDX-License-Identifier: BSL-1.0
# What examples/audio needs beside Sluice: audio_has_sound, libsndfile, and audio_has_lv2, the headers of LV2. What is
# missing has a sentence.
find_path(SNDFILE_INCLUDE_DIR sndfile.h)
find_library(SNDFILE_LIBRARY sndfile)
find_path(LV2_INCLUDE_DIR lv2/core/lv2.h)
mark_as_advanced(SNDFILE_INCLUDE_DIR SNDFILE_LIBRARY LV2_INCLUDE_DIR)
set(audio_has_sound OFF)
set(audio_has_lv2 OFF)
if(SNDFILE_INCLUDE_DIR AND SNDFILE_LIBRARY)
    set(audio_has_sound ON)
else()
    message(STATUS "Left out: learn and play of examples/audio need libsndfile, which CMake did not find. "
                   "On Debian: apt-get install libsndfile1-dev.")
endif()
if(LV2_INCLUDE_DIR)
    set(audio_has_lv2 ON)
else()
    message(STATUS "Left out: lv2 of examples/audio needs LV2, which CMake did not find. "
                   "On Debian: apt-get install lv2-dev.")
endif()
