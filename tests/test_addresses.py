"""Public addresses may be called everywhere, special ones only where the operator lists them."""

from __future__ import annotations

import ipaddress

import pytest

from service.addresses import AddressPolicy, UrlRefused, check_url

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]

SPECIAL = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "100.64.0.1": "shared",
    "100.100.100.200": "shared",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "cloud platform",
    "169.254.169.254": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.192": "reserved",
    "192.0.2.1": "documentation",
    "192.88.99.1": "relay",
    "192.168.1.1": "private",
    "198.19.0.1": "benchmarks",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::127.0.0.1": "compatible",
    "::8.8.8.8": "compatible",
    "::ffff:10.0.0.1": "private",
    "::ffff:7f00:1": "loopback",
    "64:ff9b::10.0.0.1": "private",
    "64:ff9b::7f00:1": "loopback",
    "64:ff9b:1::1": "translation",
    "100::1": "discarding",
    "2001::1": "Teredo",
    "2001:2::1": "reserved",
    "2001:db8::1": "documentation",
    "2002:808:808::1": "6to4",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "5f00::1": "reserved",
    "fc00::1": "private",
    "fd00:ec2::254": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fec0::1": "private",
    "ff02::1": "multicast",
}


def policy(*networks: str) -> AddressPolicy:
    return AddressPolicy(tuple(ipaddress.ip_network(network) for network in networks))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    assert policy().refusal(address) is None


@pytest.mark.parametrize("address", SPECIAL)
def test_a_special_address_is_refused_and_the_refusal_says_what_it_is_but_not_which(address: str) -> None:
    refusal = policy().refusal(address)
    assert refusal is not None
    assert refusal.startswith("the address is not allowed: it is ") or "belongs to a cloud platform" in refusal
    assert SPECIAL[address] in refusal
    assert address not in refusal.split()


@pytest.mark.parametrize("address", SPECIAL)
def test_a_special_address_is_allowed_where_all_of_it_is_listed(address: str) -> None:
    everything = policy("0.0.0.0/0", "::/0")
    assert everything.refusal(address) is None


def test_a_listed_network_allows_no_other() -> None:
    demo = policy("127.0.0.0/8", "::1/128")
    assert demo.refusal("127.0.0.1") is None
    assert demo.refusal("::1") is None
    assert demo.refusal("::ffff:127.0.0.1") is None
    assert demo.refusal("10.0.0.1") is not None
    assert demo.refusal("::2") is not None


@pytest.mark.parametrize(
    ("listed", "address"),
    [
        ("2002::/16", "2002:7f00:1::1"),  # 127.0.0.1 within 6to4
        ("2001::/32", "2001:0:a00:1::f7f7:f7f7"),  # Teredo: a private server, a public client
        ("2001::/32", "2001:0:808:808::80ff:fffe"),  # Teredo: a public server, the client 127.0.0.1
        ("::/96", "::10.0.0.1"),
    ],
)
def test_an_address_inside_a_listed_one_must_be_allowed_itself(listed: str, address: str) -> None:
    refusal = policy(listed).refusal(address)
    assert refusal is not None
    assert "private" in refusal or "loopback" in refusal


def test_what_is_no_address_is_refused() -> None:
    assert policy("0.0.0.0/0", "::/0").refusal("localhost") == "the address is not allowed: it is not an IP address"


GOOD_URLS = [
    "http://example.org",
    "https://example.org/",
    "HTTPS://Example.ORG:8443/bots/a%20b/~me;v=1/@x",
    "http://greedy:9001",
    "http://my_bot.internal:1/",
    "http://xn--bcher-kva.example/",
    "http://127.0.0.1:65535/act",
    "http://[::1]:80/",
    "http://[2606:4700:4700::1111]",
    "http://1password.example/",
    "http://a-b.1a/",
]

BAD_URLS = {
    "": "http://",
    "example.org": "http://",
    "//example.org/": "http://",
    "ftp://example.org/": "http://",
    "file:///etc/passwd": "http://",
    "javascript:alert(1)": "http://",
    "http:/example.org": "http://",
    "http://": "no host",
    "http:///act": "no host",
    "http://:80/": "no host",
    "http://me@example.org/": "user information",
    "http://me:secret@example.org/": "user information",
    "http://example.org@10.0.0.1/": "user information",
    "http://example.org/?a=b": "query",
    "http://example.org?": "query",
    "http://example.org/#a": "fragment",
    "http://example.org#@10.0.0.1/": "fragment",
    "http://example.org/a b": "white space",
    " http://example.org/": "white space",
    "http://example.org/\r\nX: y": "white space",
    "http://example.org/\x00": "control",
    "http://example.org/\x7f": "control",
    "http://example.org/\u202e": "control",
    "http://example.org/\u00a0": "white space",
    "http://bücher.example/": "ASCII",
    "http://ｌocalhost/": "ASCII",
    "http://127。0。0。1/": "ASCII",
    "http://example.org/ä": "ASCII",
    "http://example.org\\@10.0.0.1/": "user information",
    "http://example.org\\a/": "no valid name",
    "http://example.org/\\a": "percent-encoded",
    "http://example.org/%zz": "percent-encoded",
    "http://example.org/%": "percent-encoded",
    'http://example.org/"<>': "percent-encoded",
    "http://exa%6Dple.org/": "no valid name",
    "http://-a.example/": "no valid name",
    "http://a-.example/": "no valid name",
    "http://a..example/": "no valid name",
    "http://example.org./": "no valid name",
    "http://" + "a" * 64 + ".example/": "no valid name",
    "http://" + "a." * 130 + "example/": "no valid name",
    "http://0/": "looks like a number",
    "http://0:80/": "looks like a number",
    "http://2130706433/": "looks like a number",
    "http://0x7f000001/": "looks like a number",
    "http://0x/": "looks like a number",
    "http://017700000001/": "looks like a number",
    "http://0177.0.0.1/": "looks like a number",
    "http://127.1/": "looks like a number",
    "http://127.0.0.1.5/": "looks like a number",
    "http://127.0.0.256/": "looks like a number",
    "http://127.0.0.0x1/": "looks like a number",
    "http://bot.8/": "looks like a number",
    "http://[::1": "IPv6",
    "http://[]/": "IPv6",
    "http://[127.0.0.1]/": "IPv6",
    "http://[fe80::1%25eth0]/": "IPv6",
    "http://[::1]x/": "IPv6",
    "http://::1/": "brackets",
    "http://example.org:/": "port",
    "http://example.org:0/": "port",
    "http://example.org:65536/": "port",
    "http://example.org:000080/": "port",
    "http://example.org:+80/": "port",
    "http://example.org:80:80/": "port",
    "http://[::1]:/": "port",
    "http://example.org/" + "a" * 2048: "longer than 2048",
}


@pytest.mark.parametrize("url", GOOD_URLS)
def test_a_plain_url_passes(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize("url", BAD_URLS)
def test_any_other_url_is_refused_with_the_reason(url: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        check_url(url)
    assert BAD_URLS[url] in refused.value.reason
    assert "secret" not in refused.value.reason


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://[::ffff:10.0.0.1]/", "http://[::127.0.0.1]/"])
def test_given_a_policy_a_host_that_is_an_address_must_be_allowed(url: str) -> None:
    check_url(url)
    with pytest.raises(UrlRefused, match="the address is not allowed"):
        check_url(url, policy())
    check_url(url, policy("0.0.0.0/0", "::/0"))


def test_given_a_policy_names_and_public_addresses_pass() -> None:
    check_url("http://localhost/", policy())
    check_url("http://8.8.8.8/", policy())
