import EaselLinks

/// Drives the readers of pages and of their manifests with bytes that may be anything.
public struct FuzzedPage: Sendable {
  /// Creates the driver.
  public init() {}

  /// Tries one input, as a page and as a manifest.
  public func run(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    let page = PageHead(bytes)
    for source in LinkLoader.Source.allCases {
      precondition(page.names(of: source).allSatisfy { !$0.isEmpty }, "A picture without an address is named.")
    }
    precondition(page.manifest != "", "A manifest without an address is named.")
    _ = WebManifest.icons(in: bytes)
  }
}

/// Tries one input on the readers of pages, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_page")
public func fuzzPage(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedPage().run(UnsafeRawBufferPointer(start: start, count: count))
}
