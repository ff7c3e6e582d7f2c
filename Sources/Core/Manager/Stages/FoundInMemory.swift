/// A picture that memory had and that may be used.
struct FoundInMemory {
  let image: Image
  let entry: CacheEntry

  var picture: Picture { Picture(image, from: .memory, bytes: entry.bytes, record: entry.record) }
}
