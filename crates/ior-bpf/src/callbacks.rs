//! Kernels without `bpf_loop` (before 5.17) or without callbacks altogether (before 5.13).

use libbpf_rs::libbpf_sys::{self, bpf_insn};
use libbpf_rs::{AsRawLibbpf as _, OpenObject};

use crate::Error;

/// `BPF_LD | BPF_IMM | BPF_DW`: a load of a 64-bit constant.
const LOAD_CONSTANT: u8 = 0x18;
/// `BPF_PSEUDO_FUNC`: the constant is a function's address.
const PSEUDO_FUNC: u8 = 4;

/// Makes plain numbers of the addresses of callbacks. Only branches that the configuration has closed use them, but a
/// verifier that does not know this kind of constant refuses the program before it looks at branches.
pub fn drop_addresses(object: &mut OpenObject) -> Result<(), Error> {
    let check = |error: i32| match error {
        0 => Ok(()),
        error => Err(Error::Bpf {
            what: "preparing the BPF programs",
            source: libbpf_rs::Error::from_raw_os_error(-error),
        }),
    };
    // SAFETY: the object is open and not yet loaded. Loading it later goes on from here.
    check(unsafe { libbpf_sys::bpf_object__prepare(object.as_libbpf_object().as_ptr()) })?;
    for program in object.progs_mut().filter(|program| program.autoload()) {
        let mut code = program.insns().to_vec();
        code.iter_mut().for_each(drop_address);
        // SAFETY: the program is not yet loaded, and copies the instructions.
        check(unsafe {
            libbpf_sys::bpf_program__set_insns(
                program.as_libbpf_object().as_ptr(),
                code.as_mut_ptr(),
                code.len() as u64,
            )
        })?;
    }
    Ok(())
}

fn drop_address(insn: &mut bpf_insn) {
    if insn.code == LOAD_CONSTANT && insn.src_reg() == PSEUDO_FUNC {
        insn.set_src_reg(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_a_function_becomes_a_number() {
        let insn = |code, source| {
            let mut insn = bpf_insn {
                code,
                imm: 7,
                ..Default::default()
            };
            insn.set_src_reg(source);
            insn
        };
        let source_after = |mut insn: bpf_insn| {
            drop_address(&mut insn);
            assert_eq!(insn.imm, 7);
            insn.src_reg()
        };
        assert_eq!(source_after(insn(LOAD_CONSTANT, PSEUDO_FUNC)), 0);
        assert_eq!(source_after(insn(LOAD_CONSTANT, 1)), 1, "a map");
        assert_eq!(source_after(insn(0x85, PSEUDO_FUNC)), PSEUDO_FUNC);
    }
}
