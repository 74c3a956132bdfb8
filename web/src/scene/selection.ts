// Objects that can be clicked on, and the appearance of the selected one.

import {Color, Intersection} from 'three';

export interface Selectable {
  kind: 'body' | 'muscle' | 'surface' | 'marker' | 'deforming' | 'strand' | 'node';
  index: number;
}

/** The userData of objects in the picture that can be clicked on. */
export interface Target {
  kind: Selectable['kind'];
  pick: (hit: Intersection) => Selectable | null;
}

/** Added to the colour of the selected object. */
export const light = new Color(0x2b5f8a);
