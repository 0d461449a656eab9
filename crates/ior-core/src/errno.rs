//! Names of what a call returned: errno values and the kernel's restart codes, and the notice a row gets.

use std::fmt;

use crate::row::{Row, is_error};

/// Names by errno, from `include/uapi/asm-generic/errno-base.h` and `errno.h`; the same on x86_64 and arm64. Empty: unused.
const NAMES: [&str; 134] = [
    "",
    "EPERM",
    "ENOENT",
    "ESRCH",
    "EINTR",
    "EIO",
    "ENXIO",
    "E2BIG",
    "ENOEXEC",
    "EBADF",
    "ECHILD",
    "EAGAIN",
    "ENOMEM",
    "EACCES",
    "EFAULT",
    "ENOTBLK",
    "EBUSY",
    "EEXIST",
    "EXDEV",
    "ENODEV",
    "ENOTDIR",
    "EISDIR",
    "EINVAL",
    "ENFILE",
    "EMFILE",
    "ENOTTY",
    "ETXTBSY",
    "EFBIG",
    "ENOSPC",
    "ESPIPE",
    "EROFS",
    "EMLINK",
    "EPIPE",
    "EDOM",
    "ERANGE",
    "EDEADLK",
    "ENAMETOOLONG",
    "ENOLCK",
    "ENOSYS",
    "ENOTEMPTY",
    "ELOOP",
    "",
    "ENOMSG",
    "EIDRM",
    "ECHRNG",
    "EL2NSYNC",
    "EL3HLT",
    "EL3RST",
    "ELNRNG",
    "EUNATCH",
    "ENOCSI",
    "EL2HLT",
    "EBADE",
    "EBADR",
    "EXFULL",
    "ENOANO",
    "EBADRQC",
    "EBADSLT",
    "",
    "EBFONT",
    "ENOSTR",
    "ENODATA",
    "ETIME",
    "ENOSR",
    "ENONET",
    "ENOPKG",
    "EREMOTE",
    "ENOLINK",
    "EADV",
    "ESRMNT",
    "ECOMM",
    "EPROTO",
    "EMULTIHOP",
    "EDOTDOT",
    "EBADMSG",
    "EOVERFLOW",
    "ENOTUNIQ",
    "EBADFD",
    "EREMCHG",
    "ELIBACC",
    "ELIBBAD",
    "ELIBSCN",
    "ELIBMAX",
    "ELIBEXEC",
    "EILSEQ",
    "ERESTART",
    "ESTRPIPE",
    "EUSERS",
    "ENOTSOCK",
    "EDESTADDRREQ",
    "EMSGSIZE",
    "EPROTOTYPE",
    "ENOPROTOOPT",
    "EPROTONOSUPPORT",
    "ESOCKTNOSUPPORT",
    "EOPNOTSUPP",
    "EPFNOSUPPORT",
    "EAFNOSUPPORT",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "ENETDOWN",
    "ENETUNREACH",
    "ENETRESET",
    "ECONNABORTED",
    "ECONNRESET",
    "ENOBUFS",
    "EISCONN",
    "ENOTCONN",
    "ESHUTDOWN",
    "ETOOMANYREFS",
    "ETIMEDOUT",
    "ECONNREFUSED",
    "EHOSTDOWN",
    "EHOSTUNREACH",
    "EALREADY",
    "EINPROGRESS",
    "ESTALE",
    "EUCLEAN",
    "ENOTNAM",
    "ENAVAIL",
    "EISNAM",
    "EREMOTEIO",
    "EDQUOT",
    "ENOMEDIUM",
    "EMEDIUMTYPE",
    "ECANCELED",
    "ENOKEY",
    "EKEYEXPIRED",
    "EKEYREVOKED",
    "EKEYREJECTED",
    "EOWNERDEAD",
    "ENOTRECOVERABLE",
    "ERFKILL",
    "EHWPOISON",
];

/// The name of an errno value (positive): `ENOENT` for 2. The kernel's internal codes of include/linux/errno.h from 515
/// on, which should never reach a program but do, are known too; 520 is unused.
pub fn name(errno: i64) -> Option<&'static str> {
    let known = match errno {
        515 => "ENOIOCTLCMD",
        517 => "EPROBE_DEFER",
        518 => "EOPENSTALE",
        519 => "ENOPARAM",
        521 => "EBADHANDLE",
        522 => "ENOTSYNC",
        523 => "EBADCOOKIE",
        524 => "ENOTSUPP",
        525 => "ETOOSMALL",
        526 => "ESERVERFAULT",
        527 => "EBADTYPE",
        528 => "EJUKEBOX",
        529 => "EIOCBQUEUED",
        530 => "ERECALLCONFLICT",
        531 => "ENOGRACE",
        _ => NAMES.get(usize::try_from(errno).ok()?)?,
    };
    (!known.is_empty()).then_some(known)
}

/// The errno value (positive) of a name; `EWOULDBLOCK`, `EDEADLOCK` and `ENOTSUP` are understood as on Linux.
pub fn by_name(name: &str) -> Option<i64> {
    match name {
        "" => None,
        "EWOULDBLOCK" => Some(11),
        "EDEADLOCK" => Some(35),
        "ENOTSUP" => Some(95),
        _ => (1..532).find(|&errno| self::name(errno) == Some(name)),
    }
}

/// The name of a restart code, given as the (negative) return value.
pub fn restart_name(ret: i64) -> Option<&'static str> {
    match ret {
        -512 => Some("ERESTARTSYS"),
        -513 => Some("ERESTARTNOINTR"),
        -514 => Some("ERESTARTNOHAND"),
        -516 => Some("ERESTART_RESTARTBLOCK"),
        _ => None,
    }
}

/// The notice of a row: why the call failed or was interrupted. Its text is empty for a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// The call succeeded, or never returns.
    None,
    /// It failed; the errno's name.
    Errno(&'static str),
    /// It was interrupted and is restarted, or answers `EINTR`, by the kernel; the code's name.
    Restart(&'static str),
    /// It failed with an errno (positive) that has no name.
    Unknown(u16),
}

impl Remark {
    /// The notice of a row.
    pub fn of(row: &Row<'_>) -> Remark {
        Remark::of_ret(row.ret)
    }

    /// The notice of a return value.
    pub fn of_ret(ret: i64) -> Remark {
        if let Some(restart) = restart_name(ret) {
            return Remark::Restart(restart);
        }
        if !is_error(ret) {
            return Remark::None;
        }
        match name(-ret) {
            Some(name) => Remark::Errno(name),
            None => Remark::Unknown(u16::try_from(-ret).unwrap_or(u16::MAX)),
        }
    }

    /// The name, if the code has one; empty otherwise.
    pub fn as_str(self) -> &'static str {
        match self {
            Remark::Errno(name) | Remark::Restart(name) => name,
            Remark::None | Remark::Unknown(_) => "",
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Unknown(errno) => write!(f, "errno {errno}"),
            named => f.pad(named.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! libc_errnos {
        ($($name:ident)*) => {
            [$((libc::$name, stringify!($name))),*]
        };
    }

    #[test]
    fn names_agree_with_libc() {
        let known = libc_errnos! {
            EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT
            ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG
            ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY
            ELOOP ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR
            EXFULL ENOANO EBADRQC EBADSLT EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE
            ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG
            ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK
            EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP
            EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET
            ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT
            ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL
            EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED
            EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON
        };
        assert_eq!(known.len(), 131);
        for (errno, expected) in known {
            assert_eq!(name(i64::from(errno)), Some(expected));
        }
        assert_eq!([0, 41, 58, 134, 512, -2, i64::MIN].map(name), [None; 7]);
    }

    #[test]
    fn the_kernels_own_codes_have_names() {
        for code in (512..=531).filter(|&code| code != 520) {
            assert_ne!(Remark::of_ret(-code).as_str(), "", "{code}");
        }
    }

    #[test]
    fn every_name_is_found_again() {
        for errno in 1..532 {
            if let Some(name) = name(errno) {
                assert_eq!(by_name(name), Some(errno), "{name}");
            }
        }
        assert_eq!(by_name("EWOULDBLOCK"), Some(11));
        assert_eq!([by_name(""), by_name("ENOSUCH")], [None; 2]);
    }

    #[test]
    fn a_remark_tells_errors_from_restarts() {
        let text = |ret| Remark::of_ret(ret).to_string();
        assert_eq!(text(-2), "ENOENT");
        assert_eq!(text(-4), "EINTR");
        assert_eq!(text(-512), "ERESTARTSYS");
        assert_eq!(text(-515), "ENOIOCTLCMD");
        assert_eq!(text(-516), "ERESTART_RESTARTBLOCK");
        assert_eq!(text(-4000), "errno 4000");
        assert_eq!([text(0), text(4096), text(-4096), text(i64::MIN)], [""; 4]);
    }
}
