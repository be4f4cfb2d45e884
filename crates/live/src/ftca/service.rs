//! What installs the rules again after a restart, or when a device comes back.

/// A unit of systemd and a script of OpenWrt, for a place of the program.
pub fn print(program: &str) -> String {
    format!(
        "\
# --- systemd: /etc/systemd/system/airtcp-ftca@.service
# Then: systemctl daemon-reload && systemctl enable --now airtcp-ftca@wlan0
# The device wlan0 pulls it in, so that it also runs when the device comes back.
# A name with a hyphen is escaped: systemd-escape --template airtcp-ftca@.service phy0-ap0
[Unit]
Description=TCP packets without payload in a higher access category on %I
BindsTo=sys-subsystem-net-devices-%i.device
After=sys-subsystem-net-devices-%i.device nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={program} ftca install --dev %I
ExecStop={program} ftca remove --dev %I

[Install]
WantedBy=sys-subsystem-net-devices-%i.device

# --- OpenWrt: /etc/hotplug.d/net/90-airtcp-ftca (packages: nftables, iw)
# It runs for every device that comes; name those that matter.
#!/bin/sh
[ \"$ACTION\" = add ] || exit 0
case \"$INTERFACE\" in
  phy*-ap*|wlan*) {program} ftca install --dev \"$INTERFACE\" ;;
esac
"
    )
}
