import EaselCore
import EaselSupport
import Glibc

/// Memory in the output file that the host gave the child, so that pixels are decoded where the host reads them.
///
/// The pages of the file were used before, which makes them several times faster than new memory.
final class OutputMemory: BufferPool.Source {
  private struct Region {
    let bytes: UnsafeMutableRawBufferPointer
    let offset: Int
    var isFree = false
  }

  private struct State {
    var regions: [Region] = []
    /// The regions that hold copies for the current answer.
    var copies: [UnsafeMutableRawBufferPointer] = []
    var end = 0
    var fileBytes: Int
  }

  /// The output file; nil for memory of this process alone.
  private let descriptor: CInt?
  /// The unchecked pointers are used only through this state.
  private let state: Locked<State>

  init(descriptor: CInt) {
    self.descriptor = descriptor
    // Children may not call `fstat`, so the size is found by seeking.
    state = Locked(State(fileBytes: max(0, Int(lseek(descriptor, 0, SEEK_END)))))
  }

  /// Creates memory for a rehearsal, which nobody reads, so that it needs no file.
  init() {
    descriptor = nil
    state = Locked(State(fileBytes: 0))
  }

  deinit {
    for region in state.withLock({ $0.regions }) { munmap(region.bytes.baseAddress, region.bytes.count) }
  }

  /// Begins an answer; the copies for the previous answer are no longer needed.
  func beginAnswer() {
    let copies = state.withLock { state in
      defer { state.copies = [] }
      return state.copies
    }
    for copy in copies { _ = takeBack(copy) }
  }

  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// The count rounded up to whole pages, because a file is mapped by pages, which exceed 4 KB on some ARM64 systems.
  private static func wholePages(_ count: Int) -> Int { (count + page - 1) / page * page }

  func buffer(of count: Int) -> UnsafeMutableRawBufferPointer? {
    let count = Self.wholePages(count)
    return state.withLock { add(count, to: &$0)?.bytes }
  }

  func takeBack(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    state.withLock { state in
      guard let index = state.regions.firstIndex(where: { $0.bytes.baseAddress == bytes.baseAddress }) else {
        return false
      }
      state.regions[index].isFree = true
      return true
    }
  }

  /// The place of a bitmap's pixels in the output file; pixels elsewhere are copied into it.
  func place(of bitmap: Bitmap) throws -> StoredBitmap {
    try bitmap.withUnsafeBytes { pixels in
      if let offset = offset(of: pixels) { return StoredBitmap(bitmap, offset: offset) }
      return StoredBitmap(bitmap, offset: try copy(pixels, named: "pixels"))
    }
  }

  /// The description of a picture whose pixels and gain map are in the output file.
  func place(of image: Image) throws -> StoredImage {
    let bitmap = try place(of: image.bitmap)
    let map = try image.metadata.gainMap.map { StoredGainMap($0, bitmap: try place(of: $0.bitmap)) }
    return StoredImage(image, bitmap: bitmap, gainMap: map)
  }

  /// The place of a file's bytes, which are copied into the output file.
  func place(of file: ImageBytes) throws -> StoredFile {
    try file.withUnsafeBytes { bytes in
      StoredFile(offset: try copy(bytes, named: "a file"), byteCount: bytes.count)
    }
  }

  /// Copies bytes for the current answer; returns their place.
  private func copy(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> Int {
    let count = Self.wholePages(bytes.count)
    let copy = state.withLock { state in
      let region = Self.takeFree(ofAtLeast: count, from: &state) ?? add(count, to: &state)
      if let region { state.copies.append(region.bytes) }
      return region
    }
    guard let copy else { throw ImageError.sandboxLacks("room for \(bytes.count) bytes of \(name)") }
    copy.bytes.copyMemory(from: bytes)
    return copy.offset
  }

  private func offset(of pixels: UnsafeRawBufferPointer) -> Int? {
    let start = Int(bitPattern: pixels.baseAddress)
    return state.withLock { state in
      for region in state.regions {
        let distance = start - Int(bitPattern: region.bytes.baseAddress)
        if distance >= 0, distance + pixels.count <= region.bytes.count { return region.offset + distance }
      }
      return nil
    }
  }

  private static func takeFree(ofAtLeast count: Int, from state: inout State) -> Region? {
    guard let index = state.regions.firstIndex(where: { $0.isFree && $0.bytes.count >= count }) else { return nil }
    state.regions[index].isFree = false
    return state.regions[index]
  }

  private func add(_ count: Int, to state: inout State) -> Region? {
    let end = state.end + count
    let isThere = end <= state.fileBytes
    if !isThere, let descriptor {
      // A byte at the end makes the file longer. The limit on the size of files may refuse this.
      guard pwrite(descriptor, [0], 1, end - 1) == 1 else { return nil }
      state.fileBytes = end
    }
    // Existing pages are mapped faster all at once than one by one. Other pages may never be needed.
    let kind = descriptor == nil ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED
    let flags = kind | (isThere ? MAP_POPULATE : 0)
    guard let address = mmap(nil, count, PROT_READ | PROT_WRITE, flags, descriptor ?? -1, state.end),
      address != MAP_FAILED
    else { return nil }
    let region = Region(bytes: UnsafeMutableRawBufferPointer(start: address, count: count), offset: state.end)
    state.regions.append(region)
    state.end = end
    return region
  }
}
