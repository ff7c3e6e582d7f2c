import Testing

@testable import EaselCore
@testable import EaselService

/// Tests that read URLs as thumbor writes them.
protocol ThumborAddresses {}

extension ThumborAddresses {
  func order(_ path: String) throws(ServiceError) -> ImageOrder {
    try ThumborReader(signer: nil, formats: NamedFormats.names).order(at: "/unsafe/\(path)", now: 0)
  }

  /// The order of parts and filters for the usual image.
  func order(of parts: String) throws(ServiceError) -> ImageOrder {
    try order("\(parts)\(parts.isEmpty ? "" : "/")host/a.jpg")
  }

  func key(_ parts: String) throws -> String {
    let order = try order(of: parts)
    #expect(order.source == "http://host/a.jpg", "\(parts) was not read to its end")
    return try order.pipeline { _ throws(ServiceError) in .identity }.cacheKey
  }

  func error(_ parts: String) -> ServiceError? {
    do throws(ServiceError) {
      _ = try order(of: parts).pipeline { _ throws(ServiceError) in .identity }
      return nil
    } catch {
      return error
    }
  }
}
