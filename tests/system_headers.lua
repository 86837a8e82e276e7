-- Files that still include headers of the system or test the system with a macro, with these headers and macros. Files
-- that implement a header for one system (NAME_linux.c, NAME_posix.c) are not listed. tests/modules.lua refuses a
-- header or macro that is missing here, and one that its file no longer uses, so the list can only become shorter.
return {
}
