import Easel
import FoundationEssentials

/// A server's handling of an upload: strict limits, all variants at once, and a specific answer for each refusal.
struct UploadService {
  /// The answer to an upload.
  enum Answer {
    case created([String: Data])
    case refused(status: Int, reason: String)
  }

  private let manager: ImageManager

  init() {
    // Uploads come from strangers. Those of this service are smaller than a server's limits allow.
    var limits = Limits.server
    limits.framePixels = 12_000_000
    limits.downloadBytes = 8 << 20
    limits.decodeTime = .seconds(5)
    manager = ImageManager(.server(cacheDirectory: nil, limits: limits))
  }

  func accept(_ upload: Data) async -> Answer {
    guard upload.count <= manager.configuration.limits.downloadBytes else {
      return .refused(status: 413, reason: "The file is over 8 MiB.")
    }
    do throws(ImageError) {
      return .created(try await variants(of: upload))
    } catch {
      switch error.code {
      case .limitExceeded: return .refused(status: 413, reason: error.message)
      case .badImageData: return .refused(status: 422, reason: error.message)
      case .unsupportedFormat: return .refused(status: 415, reason: "Send a PNG, JPEG, GIF or WebP.")
      default: return .refused(status: 500, reason: "The picture could not be read.")
      }
    }
  }

  private func variants(of upload: Data) async throws(ImageError) -> [String: Data] {
    var made: [String: Data] = [:]
    for variant in Variant.all {
      let image = try await manager.image(from: upload, context: [.transformer(variant.pipeline)])
      made[variant.name] = try await manager.encode(image, as: variant.format).data()
    }
    return made
  }
}
