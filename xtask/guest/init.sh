#!/bin/busybox sh
# The smoke suite, and the first process of a small system that has this, busybox, ior and the test programs.
# What counts is printed in lines that begin with @@: `fact NAME VALUE`, `check NAME ok`, `check NAME FAILED WHY`,
# `file NAME` followed by base64, `end`. The rest is for people.

export PATH=/bin HOME=/ LC_ALL=C
export IOR_REQUIRE_BPF=1 IOR_BIN=/bin/ior IOR_WORKLOAD=/bin/workload
# A few of the end-to-end tests; none that sends a signal, for which the harness needs another shell than busybox's.
LIVE="command::open command::openat command::stat command::rename command::relative_to_dirfd command::unreadable_path
command::odd_names command::deep_path command::dup command::copies_by_fork command::sent_by_socket
command::open_before_trace command::mount command::exec command::exec_by_thread command::process_tree
command::gone_at_once command::threads command::ia32 attached::open_before_trace scopes::two_trees_of_three
cli::command_not_found cli::no_privilege"

say() { echo "@@ $*"; }
passed() { say "check $1 ok"; }
failed() { name=$1; shift; say "check $name FAILED $(echo "$*" | tr '\n' ' ' | cut -c1-300)"; }

# check NAME COMMAND...: passes if COMMAND succeeds; its output is shown if not.
check() {
	name=$1; shift
	if ("$@") > /tmp/said 2>&1; then passed "$name"; else sed 's/^/    /' /tmp/said; failed "$name" "$(tail -n 3 /tmp/said)"; fi
}

# A number of ior's first line of statistics: `statistic calls`.
statistic() { sed -n "s/^ior: .* s, calls .*/&,/p" /tmp/err | grep -o "$1 [0-9a-z]*" | head -n 1 | awk '{print $NF}'; }

# account CALLS: every one of that many calls was seen, is a row or a counted loss.
account() {
	calls=$(statistic calls) rows=$(statistic rows) filtered=$(statistic filtered) lost=$(statistic lost)
	not_seen=$(statistic 'not seen') unpaired=$(statistic unpaired)
	echo "made $1, calls $calls, rows $rows, filtered $filtered, lost $lost, not seen $not_seen, unpaired $unpaired"
	grep -q BUG /tmp/err && return 1
	[ "$calls" = $((rows + filtered + lost)) ] && [ "$not_seen" != unknown ] || return 1
	# A skipped run is at most one call missed.
	[ $(($1 - calls)) -ge 0 ] && [ $(($1 - calls)) -le $((not_seen + unpaired)) ] || return 1
	[ "$unwanted" != skipped ] || [ "$calls:$not_seen:$unpaired" = "$1:0:0" ]
}

live() {
	/bin/live --test-threads 1 --exact "$1" > /tmp/live 2>&1 && grep -q '1 passed' /tmp/live && return
	cat /tmp/live; return 1
}

doctor() {
	ior doctor > /tmp/doctor; status=$?
	cat /tmp/doctor
	return $status
}

# Exact counts of a known number of calls.
loop_totals() {
	ior --totals --comm loop -- sh -c 'echo | loop 20000' > /tmp/out 2> /tmp/err || { cat /tmp/err; return 1; }
	cat /tmp/out
	[ "$(awk '$1 == "read" {print $2}' /tmp/out):$(awk '$1 == "write" {print $2}' /tmp/out)" = 20001:20001 ]
}

traced_loop() { ior --discard --comm loop --trace-syscalls read,write "$@" > /tmp/out 2> /tmp/err || { cat /tmp/err; return 1; }; }

loop_rows() { traced_loop -- sh -c 'echo | loop 20000' && account 40002; }

tiny_ring() { traced_loop --buffer-size 64KiB -- sh -c 'echo | loop 100000' && account 200002; }

# Nobody reads for two seconds, and the rings are small: what is lost is counted.
suspended_reader() {
	: > /tmp/err
	traced_loop --buffer-size 64KiB -- sh -c 'echo | loop 150000' &
	waiter=$!
	until grep -q attached /tmp/err; do usleep 50000; done
	reader=$(pidof ior | tr ' ' '\n' | sort -n | head -n 1) # the other is COMMAND before its exec
	kill -STOP "$reader"; sleep 2; kill -CONT "$reader"
	wait $waiter && account 300002 && [ "$(statistic lost)" -gt 0 ]
}

parquet() {
	mkdir -p /tmp/parquet
	ior --parquet /tmp/rows.parquet -- workload rename /tmp/parquet > /tmp/out 2> /tmp/err || { cat /tmp/err; return 1; }
	say "fact parquet_rows $(statistic rows)"
	say "file rows.parquet"
	base64 /tmp/rows.parquet
	say "file end"
}

# busy TASKS PAIRS BESIDE: TASKS loops on one CPU, and what disturbs them there.
busy() {
	cat > /tmp/busy.sh <<-END
		for task in \$(seq $1); do (echo | taskset 1 loop $2) & done
		wait
	END
	helper=
	case $3 in
	alone) ;;
	*) taskset 1 "$3" & helper=$! ;;
	esac
	traced_loop -- sh /tmp/busy.sh
	status=$?
	if [ "$helper" ]; then
		kill -0 $helper || { echo "$3 has ended"; status=1; }
		kill $helper; wait $helper 2> /dev/null
	fi
	# raw_syscalls shares a guard with bpf()'s map operations on the same CPU: what that costs is counted. Else nothing
	# may be skipped.
	[ "$hook:$3" = raw_syscalls:map_load ] || unwanted=skipped
	[ $status = 0 ] && account $(($1 * ($2 * 2 + 2))); status=$?
	unwanted=
	return $status
}

# Fails as it should: the status, one line, the word in it.
refused() {
	wanted=$1 word=$2; shift 2
	"$@" > /tmp/out 2> /tmp/err; status=$?
	cat /tmp/err
	[ $status = "$wanted" ] && [ "$(wc -l < /tmp/err)" = 1 ] && grep -q -- "$word" /tmp/err
}

without() { IOR_TEST_WITHOUT=$1 live command::rename && IOR_TEST_WITHOUT=$1 live command::copies_by_fork; }

no_tracefs() {
	umount /sys/kernel/tracing
	if [ "$hook" = raw_syscalls ]; then
		refused 125 tracefs ior --discard -- true; status=$?
	else
		ior --discard -- true; status=$?
	fi
	mount -t tracefs tracefs /sys/kernel/tracing
	return $status
}

pid_namespace() { refused 125 'pid namespace' unshare -p -f --mount-proc ior --discard -- true; }

programs() {
	IOR_SHOW_LIBBPF=1 ior --discard -- true 2>&1 | sed -n 's/^ior: program \([a-z_]*\): \(.*\) instructions verified$/\1 \2/p' |
		while read -r program count; do say "fact insns:$program $count"; done
}

variant() {
	ior --discard -- true 2> /tmp/err
	chosen=$(sed -n 's/^ior: attached in .* (\(.*\))$/\1/p' /tmp/err)
	hook=${chosen%%,*}
	say "fact hook $hook"
	say "fact pairing ${chosen#*, }"
	has() { ior doctor --json | grep "\"name\":\"$1\"" | grep -q '"verdict":"ok"'; }
	has bpf_loop && walk=bpf_loop || walk=bounded
	say "fact walk $walk"
	has bpf_rdonly_cast && say "fact reads cast" || say "fact reads probe"
	say "fact attach $(sed -n 's/^ior: attached in \(.*\) (.*/\1/p' /tmp/err)"
	programs
}

suite() {
	check doctor doctor
	variant
	check loop_totals loop_totals
	check loop_rows loop_rows
	check tiny_ring tiny_ring
	check suspended_reader suspended_reader
	for test in $LIVE; do
		# Without bpf_loop a path has 32 components at most: docs/architecture.md (m).
		[ "$walk:$test" = bounded:command::deep_path ] || check "$test" live "$test"
	done
	parquet > /tmp/parquet.said; cat /tmp/parquet.said
	check no_bpf_loop without bpf_loop
	check no_cast without bpf_rdonly_cast
	check no_task_storage without bpf_task_storage_get,bpf_get_current_task_btf
	check no_tracefs no_tracefs
	check no_btf env IOR_TEST_NO_BTF=1 sh -c '! ior doctor && ! ior --discard -- true'
	check pid_namespace pid_namespace
	check rings_beyond_memory refused 125 buffer-size ior --buffer-size 1GiB --discard -- true
	for beside in alone spin map_load; do
		check "busy_4_$beside" busy 4 25000 $beside
		check "busy_16_$beside" busy 16 6250 $beside
	done
}

mkdir -p /proc /sys /dev /tmp
if [ $$ = 1 ]; then
	trap 'poweroff -f' EXIT
	/bin/busybox --install -s /bin
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs dev /dev
	mount -t tmpfs tmp /tmp
	mount -t tracefs tracefs /sys/kernel/tracing
	mount -t securityfs security /sys/kernel/security
	mkdir -p /dev/shm
	ln -s /proc/self/fd /dev/fd
	ip link set lo up
fi
say "fact kernel $(uname -r)"
case $(cat /proc/cmdline) in
*lockdown=integrity*)
	check doctor doctor
	check loop_rows loop_rows
	check command::rename live command::rename
	;;
*lockdown=confidentiality*)
	check doctor_says_so sh -c '! ior doctor > /tmp/doctor && grep -q "MISSING.*lockdown.*confidentiality" /tmp/doctor'
	check refused refused 125 lockdown ior --discard -- true
	;;
*) suite ;;
esac
say end
