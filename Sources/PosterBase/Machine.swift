import Glibc

/// How many cores are online, at least 1.
package func onlineCores() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
