//! Compiles the BPF programs and generates their skeleton (maps, programs and the record types shared with C).

use std::env;
use std::path::PathBuf;

use libbpf_cargo::SkeletonBuilder;

const SOURCE: &str = "bpf/ior.bpf.c";

fn main() {
    let out =
        PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("ior.skel.rs");
    let arch = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => "-D__TARGET_ARCH_x86",
        Ok("aarch64") => "-D__TARGET_ARCH_arm64",
        other => panic!("ior has no BPF side for target architecture {other:?}"),
    };
    println!("cargo:rerun-if-changed=bpf");
    // The object names its sources; where they happen to be is nobody's business and would make builds differ.
    let here = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let unnamed = format!("-ffile-prefix-map={here}=.");
    if let Err(error) = SkeletonBuilder::new()
        .source(SOURCE)
        .clang_args(["-mcpu=v3", arch, "-Wall", "-Werror", &unnamed])
        .build_and_generate(&out)
    {
        panic!(
            "cannot compile {SOURCE}: {error:#}\nbuilding ior needs clang 14 or newer; `cargo xtask setup` installs what is missing"
        );
    }
}
