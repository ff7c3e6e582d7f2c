import Easel
import EaselCore
import EaselService
import EaselSupport
import Testing

@testable import EaselCLI

struct ServeValueTests {
  @Test(arguments: [
    ("127.0.0.1:8080", ServeAddress.tcp(host: "127.0.0.1", port: 8080)), (":80", .tcp(host: "", port: 80)),
    ("localhost:0", .tcp(host: "localhost", port: 0)), ("[::1]:65535", .tcp(host: "::1", port: 65_535)),
    ("[::]:80", .tcp(host: "::", port: 80)), ("unix:easel.sock", .unix(path: "easel.sock")),
    ("/run/easel/sock", .unix(path: "/run/easel/sock")), ("./a:80", .unix(path: "./a:80")), ("systemd", .systemd),
  ])
  func addresses(_ text: String, _ address: ServeAddress) { #expect(ServeAddress(text) == address) }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/0", "8.8.8.8", true),
    ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("10.0.0.0/9", "10.127.0.1", true),
    ("10.0.0.0/9", "10.128.0.1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
    ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
    ("10.0.0.0/8", "::1", false), ("::/0", "10.0.0.1", false), ("10.0.0.0/32", "10.0.0.0", true),
  ])
  func ranges(_ range: String, _ address: String, _ contains: Bool) throws {
    let range = try #require(AddressRange(range))
    #expect(range.contains(try #require(AddressPolicy.IPAddress(address))) == contains)
  }

  /// The labels of metrics are a closed set whose names never change: a new format adds one at its place in this list.
  @Test func eachFormatOfTheProgramHasALabelInMetrics() {
    #expect(
      FormatLabel.labels(of: .program).map { $0.values[0] } == [
        "jpeg", "png", "webp", "gif", "heic", "avif", "tiff", "jxl", "jp2", "j2c", "qoi", "bmp", "ico", "pnm", "hdr",
        "svg",
        "json", "other",
      ])
    for format in CoderRegistry.program.formats {
      #expect(FormatLabel(format, .program).values == [FormatNames.program.name(of: format)])
    }
  }

  @Test func hexadecimal() {
    #expect(ServeReading.bytes(hexadecimal: "00fFA1") == [0, 255, 161])
    #expect(ServeReading.bytes(hexadecimal: "") == [])
    for text in ["0", "0g", "0x00", " 00", "é0", "00\n"] { #expect(ServeReading.bytes(hexadecimal: text) == nil) }
  }

  @Test func qualities() {
    #expect(ServeReading.qualities("webp:79, jpeg:0.5") == [.webp: 0.79, .jpeg: 0.5])
    #expect(ServeReading.quality("100") == 1 && ServeReading.quality("1") == 1 && ServeReading.quality("0") == 0)
  }

  @Test func formats() {
    #expect(ServeReading.formats("webp, jpg") == [.webp, .jpeg])
    #expect(ServeReading.formats("none") == [] && ServeReading.formats("jpg,jpeg") == nil)
  }

  @Test(arguments: [
    ("yes", true), ("TRUE", true), ("1", true), ("on", true), ("no", false), ("0", false), ("Off", false),
  ])
  func truth(_ text: String, _ value: Bool) { #expect(ServeReading.truth(text) == value) }
}
