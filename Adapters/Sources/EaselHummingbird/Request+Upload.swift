import EaselCore
import EaselManager
import EaselNIO
import EaselService
import HTTPTypes
import Hummingbird

extension Request {
  /// Makes encoded pictures of the body, while it arrives.
  ///
  /// The work has the limits of the service, and ends when the client leaves. It throws a ``PictureRefusal``, which
  /// Hummingbird answers with its status.
  ///
  /// ```swift
  /// let cards = try await request.pictures(
  ///   by: pictures, in: context, as: [ImageVariant(.resize(width: 96), as: .webp), ImageVariant(as: .jpeg)])
  /// ```
  public func pictures(
    by service: ImageService, in context: some PictureContext, as variants: [ImageVariant]
  ) async throws -> [EncodedImage] {
    let bytes = BufferBytes(body)
    let length = headers[.contentLength].flatMap { Int($0) }
    return try await ClientWatch.run(on: context.channel) {
      do throws(ImageError) {
        return try await service.variants(of: bytes, length: length, as: variants)
      } catch {
        throw PictureRefusal(error)
      }
    }
  }
}
