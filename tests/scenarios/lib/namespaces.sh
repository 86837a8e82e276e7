# Runs ./host in a network namespace, and ./joiner.1 to ./joiner.COUNT each in another one:
# unshare -rn sh namespaces.sh COUNT [LOSS]. A pair of virtual interfaces with the addresses 10.9.N.1 and 10.9.N.2
# connects the host's namespace to the namespace of joiner N. With LOSS, nftables drops that percentage of the incoming
# UDP datagrams of each joiner. A joiner starts once the host's namespace has moved the interface to the joiner's.
count=$1 loss=${2-0}
wait=$(dirname "$0")/../../wait.sh
. "$wait"
ip link set lo up
rm -f pid.* ready.*
i=1
while [ "$i" -le "$count" ]; do
  ip link add "h$i" type veth peer name "j$i" && ip addr add "10.9.$i.1/24" dev "h$i" && ip link set "h$i" up || exit 1
  unshare -n sh -c "echo \$\$ >pid.$i
    . '$wait'
    wait_for 20 test -e ready.$i || exit 1
    ip addr add 10.9.$i.2/24 dev j$i && ip link set j$i up
    [ $loss = 0 ] || nft -f - <<RULES
      add table ip t
      add chain ip t input { type filter hook input priority 0; }
      add rule ip t input meta l4proto udp numgen random mod 100 < $loss drop
RULES
    . ./joiner.$i" &
  wait_for 20 test -s "pid.$i" || exit 1
  ip link set "j$i" netns "$(cat "pid.$i")" || exit 1
  touch "ready.$i"
  i=$((i + 1))
done
. ./host
wait
