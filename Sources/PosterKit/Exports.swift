// What the interface of PosterKit is made of: its users import PosterKit alone.
@_exported public import PosterBase
@_exported public import PosterFetch
@_exported public import PosterImages
@_exported public import PosterLists
@_exported public import PosterPlaceholders
