// Definition that is generated when the library is linked (scripts/build/install.sh).
#ifndef SHOAL_LIBRARY_NAMES_H
#define SHOAL_LIBRARY_NAMES_H

extern const char library_prefix[]; // prefix of the installation, such as /usr/local

#endif
