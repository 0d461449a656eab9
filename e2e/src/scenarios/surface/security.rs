//! Keys, capabilities, sandboxes, security modules.

use libc::{E2BIG, EACCES, EBADF, EFAULT, EINVAL, EKEYREVOKED, ENODEV, ENOKEY, EOPNOTSUPP, EPERM};
use libc::{ESRCH, O_CLOEXEC, O_PATH};

use super::{Scenario, of_all, plain};
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("keys", keys),
    of_all("capabilities", capabilities),
    of_all("landlock", landlock),
    of_all("security_modules", security_modules),
    plain("changed_user", changed_user),
];

/// `add_key`, `request_key`, `keyctl`; the keys go with the process.
fn keys(t: &mut Tape) {
    const OF_PROCESS: i32 = -2;
    const JOIN_SESSION: i32 = 1;
    const REVOKE: i32 = 3;
    const READ_KEY: i32 = 11;
    t.apart(|t| {
        t.bare(KEYCTL, args![JOIN_SESSION, 0]).ok();
        let buffer = &mut [0u8; 64];
        let add = args![c"user", c"ior-e2e", b"payload", 7, OF_PROCESS];
        let key = t.bare(ADD_KEY, add).ok();
        t.bare(ADD_KEY, args![c"no-type", c"ior-e2e", b"x", 1, OF_PROCESS])
            .fails(ENODEV);
        t.bare(ADD_KEY, args![c"user", c"ior-e2e", 8, 7, OF_PROCESS])
            .fails(EFAULT);
        t.bare(KEYCTL, args![READ_KEY, key, &mut *buffer, 64]).is(7);
        t.bare(REQUEST_KEY, args![c"user", c"ior-e2e", 0, 0])
            .is(key);
        t.bare(REQUEST_KEY, args![c"user", c"ior-e2e-missing", 0, 0])
            .fails(ENOKEY);
        t.bare(REQUEST_KEY, args![8, c"ior-e2e", 0, 0])
            .fails(EFAULT);
        t.bare(KEYCTL, args![REVOKE, key]).is(0);
        t.bare(KEYCTL, args![READ_KEY, key, &mut *buffer, 64])
            .fails(EKEYREVOKED);
        t.bare(KEYCTL, args![9999]).fails(EOPNOTSUPP);
    });
}

/// Users that change twice between two calls, slowly enough for the kernel to use the first one's memory again.
fn changed_user(t: &mut Tape) {
    let become_user = |user: i32| {
        let ret = call(SETRESUID.nr, args![user, -1, -1]);
        assert_eq!(ret, 0, "setresuid");
    };
    for user in (1300..1330).step_by(2) {
        become_user(user);
        t.identify();
        t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
            .fails(libc::ENOENT);
        become_user(user + 1);
        let nap = call(NANOSLEEP.nr, args![&[0i64, 15_000_000], 0]);
        assert_eq!(nap, 0, "nanosleep");
    }
    become_user(0);
}

/// `capget`, and `capset` to what is.
fn capabilities(t: &mut Tape) {
    const VERSION_3: i32 = 0x2008_0522;
    t.apart(|t| {
        let own = &[VERSION_3, 0];
        let sets = &mut [0u32; 6];
        t.bare(CAPGET, args![own, &mut *sets]).is(0);
        t.bare(CAPGET, args![&[VERSION_3, NO_PROCESS], &mut *sets])
            .fails(ESRCH);
        t.bare(CAPGET, args![&mut [0i32; 2], &mut *sets])
            .fails(EINVAL);
        t.bare(CAPGET, args![8, &mut *sets]).fails(EFAULT);
        t.bare(CAPSET, args![own, &*sets]).is(0);
        t.bare(CAPSET, args![&[VERSION_3, 1], &*sets]).fails(EPERM);
        t.bare(CAPSET, args![own, 8]).fails(EFAULT);
    });
}

/// A child that forbids itself to make directories.
fn landlock(t: &mut Tape) {
    const VERSION: i32 = 1;
    const PATH_BENEATH: i32 = 1;
    const MAKE_DIR: u64 = 1 << 7;
    t.apart(|t| {
        t.bare(LANDLOCK_CREATE_RULESET, args![0, 0, VERSION]).ok();
        t.bare(LANDLOCK_CREATE_RULESET, args![0, 0, 0])
            .fails(EFAULT);
        t.bare(LANDLOCK_CREATE_RULESET, args![&[MAKE_DIR], 8, 99])
            .fails(EINVAL);
        let rules = t
            .bare(LANDLOCK_CREATE_RULESET, args![&[MAKE_DIR], 8, 0])
            .ok() as i32;
        let (name, allowed) = t.outside(|t| {
            std::fs::create_dir("allowed").expect("mkdir");
            let allowed = call(OPEN.nr, args![c"allowed", O_PATH | O_CLOEXEC]);
            (t.proc_name(rules), allowed as i32)
        });
        // Packed: what is allowed beneath which directory.
        let mut beneath = [0u8; 12];
        beneath[..8].copy_from_slice(&MAKE_DIR.to_ne_bytes());
        beneath[8..].copy_from_slice(&allowed.to_ne_bytes());
        let add = args![rules, PATH_BENEATH, &beneath, 0];
        t.fd(LANDLOCK_ADD_RULE, rules, &name, add).is(0);
        t.fd(
            LANDLOCK_ADD_RULE,
            rules,
            &name,
            args![rules, PATH_BENEATH, &beneath, 1],
        )
        .fails(EINVAL);
        t.fd(
            LANDLOCK_ADD_RULE,
            CLOSED,
            "",
            args![CLOSED, PATH_BENEATH, &beneath, 0],
        )
        .fails(EBADF);
        t.fd(LANDLOCK_RESTRICT_SELF, CLOSED, "", args![CLOSED, 0])
            .fails(EBADF);
        t.fd(LANDLOCK_RESTRICT_SELF, rules, &name, args![rules, 0])
            .is(0);
        t.path(MKDIR, "allowed/d", args![c"allowed/d", 0o755]).is(0);
        t.path(MKDIR, "refused", args![c"refused", 0o755])
            .fails(EACCES);
        t.fd(CLOSE, rules, &name, args![rules]).is(0);
    });
}

/// Which modules there are, and what they think of this process: mostly nothing.
fn security_modules(t: &mut Tape) {
    const CURRENT: i32 = 100;
    let ids = &mut [0u64; 64];
    let size = &mut [512u32; 1];
    t.bare(LSM_LIST_MODULES, args![&mut *ids, &mut *size, 0])
        .ok();
    t.bare(LSM_LIST_MODULES, args![&mut *ids, &mut *size, 1])
        .fails(EINVAL);
    *size = [1];
    t.bare(LSM_LIST_MODULES, args![&mut *ids, &mut *size, 0])
        .fails(E2BIG);
    *size = [512];
    t.bare(LSM_GET_SELF_ATTR, args![CURRENT, &mut *ids, &mut *size, 0])
        .done();
    t.bare(LSM_GET_SELF_ATTR, args![CURRENT, &mut *ids, 8, 0])
        .fails(EFAULT);
    t.bare(LSM_SET_SELF_ATTR, args![CURRENT, &*ids, 1, 0])
        .fails(EINVAL);
}
