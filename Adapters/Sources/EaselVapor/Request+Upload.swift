import EaselCore
import EaselManager
import EaselNIO
import EaselService
import Vapor

extension Request {
  /// Makes encoded pictures of the body, while it arrives.
  ///
  /// The route streams its body, so that Vapor does not collect it first. The work has the limits of the service, and ends
  /// when the client leaves. It throws a ``PictureRefusal``, which Vapor answers with its status.
  ///
  /// ```swift
  /// app.on(.POST, "uploads", body: .stream) { request in
  ///   let cards = try await request.pictures(
  ///     by: pictures, as: [ImageVariant(.resize(width: 96), as: .webp), ImageVariant(as: .jpeg)])
  ///   return Response(ServiceResponse(cards[0]))
  /// }
  /// ```
  public func pictures(by service: ImageService, as variants: [ImageVariant]) async throws -> [EncodedImage] {
    let bytes = BufferBytes(UploadBody(request: self))
    let length = headers.first(name: .contentLength).flatMap { Int($0) }
    return try await watched {
      do throws(ImageError) {
        return try await service.variants(of: bytes, length: length, as: variants)
      } catch {
        throw PictureRefusal(error)
      }
    }
  }
}
